"""Text on its way into a request: fences, tags, commands in a question, short names."""
