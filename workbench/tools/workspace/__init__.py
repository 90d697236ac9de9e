"""The folder that tools work in: found, read and written without ever leaving it."""
