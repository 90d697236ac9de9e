"""Clients of MCP tool servers, using the official library in a thread of their own."""
