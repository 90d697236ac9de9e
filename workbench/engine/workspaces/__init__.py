"""Workspaces in the engine: what a chat is told besides its own settings, and what changes that."""
