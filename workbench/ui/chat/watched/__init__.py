"""A watched chat in the middle of the window: its head, its requests, and what can be done with them."""
