"""The editor of the System layer's instructions, with their price before anything is changed."""
