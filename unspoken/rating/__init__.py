"""Ratings from games."""
