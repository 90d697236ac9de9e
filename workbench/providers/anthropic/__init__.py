"""Anthropic's messages interface."""
