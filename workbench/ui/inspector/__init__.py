"""The inspector: the next request, layer by layer, before it is sent."""
