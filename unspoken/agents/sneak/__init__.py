"""Built-in agents of SNEAK: speakers, listeners, and a speaker that learns how well others hear.

They are stateless within a game but for their generator: each move is computed from the card.
"""
