"""Built-in agents of the search game, AIDG-II: seekers, holders, and one that learns whom to trust.

They are stateless within a game but for their generator: each move is computed from the dialogue.
"""
