"""What is about no single turn: search, models, keys, presets, exports and imports."""
