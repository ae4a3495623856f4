"""Built-in agents of the dialogue game, AIDG-I: seekers and holders, and one that learns from both.

They are stateless within a game but for their generator: each move is computed from the dialogue.
"""
