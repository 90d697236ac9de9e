"""Servers of tools that speak the Model Context Protocol: what they offer, their addresses, names and secrets."""
