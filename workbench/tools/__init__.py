"""Tools a model may call in the workspace: list, read, search, and, when a person allows it, change."""
