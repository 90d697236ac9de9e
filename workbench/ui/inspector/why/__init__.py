"""Why something of the past is in a request: a card under the table."""
