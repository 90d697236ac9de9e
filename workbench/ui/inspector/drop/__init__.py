"""The drop order: cards that can be moved."""
