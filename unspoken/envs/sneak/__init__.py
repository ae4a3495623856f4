"""sneak: SNEAK, one message that an ally knows and a chameleon does not. Rules: README beside."""
