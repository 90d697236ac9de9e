"""OpenAI, and every server that speaks like it."""
