"""The functional core: pure functions that turn a conversation into an envelope."""
