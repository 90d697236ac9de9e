"""The Turns page: the turns so far, as a table and as bars."""
