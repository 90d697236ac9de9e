"""Texts made shorter: by their shape, to the room there is."""
