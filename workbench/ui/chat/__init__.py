"""The chat: transcript and composer."""
