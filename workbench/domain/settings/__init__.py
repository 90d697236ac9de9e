"""Settings: of requests, of the program, and presets; and errors in the settings file."""
