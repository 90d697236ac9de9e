"""Memory in the window: what is remembered, for a workspace and for all chats."""
