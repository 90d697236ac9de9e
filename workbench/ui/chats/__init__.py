"""The list of chats, and the search over all of them."""
