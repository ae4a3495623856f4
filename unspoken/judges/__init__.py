"""Judges of what was said: arbiters that weigh whether a reply gives a secret away."""
