"""Puts the program together: the only room that names concrete adapters and reads the environment."""
