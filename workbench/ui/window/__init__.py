"""The window: its columns, and what a wish in it becomes."""
