"""The seams: what the core and the engine ask of the world, each as a small protocol."""
