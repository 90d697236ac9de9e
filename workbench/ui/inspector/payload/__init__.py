"""The Payload page: exactly what goes out."""
