"""Which past messages and sections matter for a question: words, an index of them, a ranking, and why."""
