"""Pages that somebody asked for: fetched once, from public addresses only."""
