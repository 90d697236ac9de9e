"""What opens over the window: settings, palette, first run, unlocking, export and import."""
