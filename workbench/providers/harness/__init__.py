"""What all adapters share: limits, failures in words, discovery, keys."""
