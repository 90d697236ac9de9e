"""What a provider's cache will do with a request."""
