"""The budget bar and its legend."""
