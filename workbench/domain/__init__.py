"""Frozen values that everything else is written in; standard library only."""
