"""Values that a front end draws, as they are."""
