"""Chats that are in view: read, shown as they are, and closed again."""
