"""Protocols for everything that the core and the engine need from the outside world."""
