"""What is attached: files, their parts, pictures and the folders they lie in."""
