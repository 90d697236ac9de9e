"""The what-if panel: other settings, tried out."""
