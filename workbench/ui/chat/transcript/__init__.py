"""The transcript: everything said in a chat."""
