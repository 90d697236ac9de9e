"""Servers that count their own prompts: querying them, and tracking what their caches hold."""
