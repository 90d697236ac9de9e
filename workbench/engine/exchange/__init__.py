"""Chats in the files of others and of our own: values in, bytes out, and back; nothing here reads or writes."""
