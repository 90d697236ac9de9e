"""The Compare page: a request beside variants of it with other settings."""
