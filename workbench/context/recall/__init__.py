"""Finds past messages and sections that match a question: terms, an index, a ranking, and its reasons."""
