"""Which piece of a request carried its answer: pieces, masks, a sparse fit, and the words each piece brought."""
