"""Building the next request: gathered, counted exactly, in the loop or beside it."""
