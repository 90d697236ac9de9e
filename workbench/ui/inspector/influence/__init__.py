"""What carried an answer: the strip over the table, its figures, and the cards below."""
