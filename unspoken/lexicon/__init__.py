"""Words, without games: relations, forms, vectors."""
