"""The page of a workspace: what belongs to all of its chats."""
