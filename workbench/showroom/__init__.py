"""Scripted conversations, really held by the engine, for pictures of the window."""
