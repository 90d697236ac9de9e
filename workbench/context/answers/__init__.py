"""What is known of an answer besides its text, as pure functions."""
