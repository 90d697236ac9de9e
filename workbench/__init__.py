"""Context Workbench: a chat workbench that shows the request before it is sent."""

__version__ = "0.1.0"
