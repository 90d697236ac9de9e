"""The messages of a transcript, a file a kind, and their parts."""
