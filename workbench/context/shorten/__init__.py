"""Shortens texts by their shape to the tokens available, and checks that summaries keep the facts."""
