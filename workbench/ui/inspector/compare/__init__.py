"""A request beside itself under other settings."""
