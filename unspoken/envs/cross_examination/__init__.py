"""cross_examination: SDA as a game, a witness before a jury. Rules: the README beside this."""
