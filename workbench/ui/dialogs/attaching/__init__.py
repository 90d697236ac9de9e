"""Dialogs about attaching: what could not be attached, and a page by its address."""
