"""The composer: the next message, what it brings, and what it costs."""
