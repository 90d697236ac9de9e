"""Adapters that keep things: the encrypted store and the keys to it."""
