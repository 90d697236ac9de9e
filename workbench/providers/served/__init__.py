"""Servers that count their own prompts: how they are asked, and what their caches hold."""
