"""Watching other programs: what passes is understood, request by request."""
