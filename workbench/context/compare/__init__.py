"""How two consecutive requests relate, and why."""
