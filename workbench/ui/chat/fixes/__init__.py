"""Ways to make a request fit, wherever they are offered."""
