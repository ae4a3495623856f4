"""chameleon: clues, a vote, and one player who does not know the word. Rules: the README here."""
