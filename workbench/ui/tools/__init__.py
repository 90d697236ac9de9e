"""The tools of chats and workspaces: which there are, whose servers they come from, and what they may do unasked."""
