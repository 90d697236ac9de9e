"""Followed folders: their sections packed into an index, and ranked for a question."""
