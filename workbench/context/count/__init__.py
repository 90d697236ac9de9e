"""Token counts of a request: by tokenizers, by estimates, and by the model's own server."""
