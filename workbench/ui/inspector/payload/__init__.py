"""The Payload page: the text of a request exactly as it is sent."""
