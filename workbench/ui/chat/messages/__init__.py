"""The messages of a transcript: one file per kind, and their parts."""
