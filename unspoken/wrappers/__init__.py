"""The games in the shapes that other libraries take."""
