"""Text of answers, parsed by us and shown without being obeyed."""
