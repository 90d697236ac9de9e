"""Adapters to model vendors and tokenizers; vendor libraries are imported nowhere else."""
