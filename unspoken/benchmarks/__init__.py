"""Benchmarks: who plays whom, running it, keeping it, and the tables of the papers."""
