"""Removes what must not be sent before anything is built."""
