"""What a model may do in the workspace: look, read, search, and, when a person allows it, change."""
