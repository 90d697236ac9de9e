"""The Diff page: how two requests differ."""
