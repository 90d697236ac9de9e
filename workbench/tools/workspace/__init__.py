"""The folder that tools work in: files in it are found, read and written without ever leaving it."""
