"""Listeners of SNEAK: what an ally and a chameleon make of a message.

`specs.make_listener` builds them, `average.Average` puts several together.
"""
