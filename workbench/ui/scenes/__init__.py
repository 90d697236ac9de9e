"""Scripted pictures of the window, made by the program itself."""
