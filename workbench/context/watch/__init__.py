"""Watching: bodies of requests taken apart and put together again, and what is counted of them."""
