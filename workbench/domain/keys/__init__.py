"""Secrets of people and of the store, and how keys are found in texts."""
