"""Names, icons, texts and actions of a request's rows, for all pages of the inspector."""
