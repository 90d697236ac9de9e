"""What a request costs: tokenizers, estimates, cuts, and what a server of the model's own said."""
