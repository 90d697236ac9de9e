"""The main window: its columns, and what the wishes of its widgets do."""
