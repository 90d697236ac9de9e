"""The Layers page: the tree-table."""
