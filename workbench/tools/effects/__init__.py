"""What a tool is about to do, as a value that can be shown, done, and taken back."""
