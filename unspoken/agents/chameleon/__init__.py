"""Built-in agents of Chameleon: by rules of thumb, by the evaluator, and one that learns of others.

They are stateless within a game but for their generator: each move is computed from the dialogue.
"""
