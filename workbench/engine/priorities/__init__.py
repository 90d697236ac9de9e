"""What is attached against the question that is being written: how well it fits, and which priorities that suggests."""
