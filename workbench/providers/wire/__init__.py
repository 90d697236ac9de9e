"""Between us and a server: where to, which bytes, and what comes back, without secrets."""
