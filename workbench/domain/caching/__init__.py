"""What providers' caches do: their rules, where a request is marked, and what is foretold."""
