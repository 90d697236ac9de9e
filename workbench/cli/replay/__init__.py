"""`workbench replay`, and reading what it is given: trajectories, settings, messages, chunks."""
