"""Google's own interface to Gemini."""
