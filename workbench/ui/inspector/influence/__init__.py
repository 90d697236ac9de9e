"""Influence: which pieces of a request an answer depended on, as figures in the table and as cards."""
