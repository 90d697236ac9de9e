"""The dialog that adds files of a folder."""
