"""The headless front end, a file a command."""
