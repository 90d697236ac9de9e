"""The effect of a tool as a value that can be shown, applied, and undone."""
