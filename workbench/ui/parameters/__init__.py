"""What is set for one chat: the parameters of its answers, presets, and other settings for one message."""
