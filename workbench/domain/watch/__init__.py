"""Watching: what other programs sent to their models, and what is known of it."""
