"""Models of scripted conversations: given words, counted figures."""
