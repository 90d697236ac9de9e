"""The envelope inspector: the next request, live."""
