"""Influence of pieces on an answer: requests without them, scored one after the other, and what came of it."""
