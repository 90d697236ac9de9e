"""Converts chats to and from files of this and other programs; only values and bytes, no reading or writing."""
