"""Measures the influence of a request's pieces on its answer: pieces, masks, a sparse fit, and influenced words."""
