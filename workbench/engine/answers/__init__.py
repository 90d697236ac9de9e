"""What is done with answers beside their turns: checked against their requests, asked about on the side."""
