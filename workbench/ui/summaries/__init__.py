"""The window side of summaries: what one would stand for, the two texts side by side, and what its check says."""
