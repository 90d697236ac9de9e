"""The What-if panel: other settings, tried out on the next request."""
