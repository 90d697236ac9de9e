"""What a person changes about a chat between turns."""
