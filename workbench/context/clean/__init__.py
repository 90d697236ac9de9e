"""What must not go out, taken out before anything is built."""
