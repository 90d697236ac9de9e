"""The tools of chats and workspaces: which there are, their servers, and what needs approval."""
