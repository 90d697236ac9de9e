"""The prompt library: texts under names, kept, found and written into a message."""
