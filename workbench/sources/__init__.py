"""Files, folders, prompts and the clock: what the world around the program provides."""
