"""Long conversations with planted facts, and questions about them: made out of the texts beside this file."""
