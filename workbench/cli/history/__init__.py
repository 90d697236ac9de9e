"""`workbench history`: a file an action, or two that belong together."""
