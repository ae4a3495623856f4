"""Built-in agents of the cross-examination, SDA's game: questioners and witnesses.

They are stateless within a game but for their generator: each move is computed from the game so
far, as their role knows it.
"""
