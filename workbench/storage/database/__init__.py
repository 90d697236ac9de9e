"""The encrypted file: opened, its tables, and how they changed."""
