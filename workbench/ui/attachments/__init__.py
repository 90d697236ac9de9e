"""What is attached to a chat."""
