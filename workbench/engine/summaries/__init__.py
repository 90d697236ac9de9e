"""Summaries of turns and of attached texts: planned, priced, made and checked before anybody applies them."""
