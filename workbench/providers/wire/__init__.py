"""Sending to a server and reading its response: addresses, bytes and headers, without leaking secrets."""
