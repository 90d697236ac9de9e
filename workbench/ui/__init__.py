"""The window: PySide6 and qasync live here only."""
