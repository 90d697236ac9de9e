"""The turns so far: as a table, and as bars."""
