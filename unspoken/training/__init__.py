"""Policies that learn: what they see, the network, training, evaluation, the league.

stable-baselines3 and sb3-contrib come in on first use (extra `rl`).
"""
