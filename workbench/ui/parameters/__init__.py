"""The settings of one chat: parameters, presets, and settings for a single message."""
