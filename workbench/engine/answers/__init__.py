"""What can be done with an answer that is there: checking it against its request."""
