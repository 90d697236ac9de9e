"""Servers of tools (MCP), through the official library, in a thread of their own."""
