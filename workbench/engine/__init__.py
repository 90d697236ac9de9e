"""The shell around the core: conversations advance turn by turn here."""
