"""Context Workbench: a chat workbench that shows the request before it is sent."""

__version__ = "1.0.0"
