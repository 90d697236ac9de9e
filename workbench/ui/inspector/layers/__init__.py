"""The Layers page: a request's layers and rows as a table that can be edited."""
