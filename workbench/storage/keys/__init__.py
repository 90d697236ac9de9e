"""What opens the store: keys, what wraps them, and what changes them."""
