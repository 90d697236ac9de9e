"""Text out of documents: one reader for each kind, and the child process in which they run."""
