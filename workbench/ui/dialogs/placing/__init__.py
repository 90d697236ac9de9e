"""What is asked about workspaces and where chats are found."""
