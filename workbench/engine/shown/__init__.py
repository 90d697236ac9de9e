"""What is shown of chats that are open: the next request, those before it, fixes, files that changed."""
