"""What is done with answers beside their turns: side questions."""
