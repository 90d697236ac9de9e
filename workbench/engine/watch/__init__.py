"""Watching other programs: understanding what passed, and keeping it."""
