"""An open chat: everything that belongs to one and goes with it when it is closed."""
