"""One turn, from what a person wants to what is kept of it; start reading at `run`."""
