"""Finding words in the chat in view."""
