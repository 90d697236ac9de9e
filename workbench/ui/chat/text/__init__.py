"""Text of answers: parsed here, and shown so that nothing in it can be run or fetched."""
