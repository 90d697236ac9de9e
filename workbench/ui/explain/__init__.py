"""What is this? The window explained in place, with the figures of the request that is shown."""
