"""Models that run in the program itself: the built-in one, and any GGUF file."""
