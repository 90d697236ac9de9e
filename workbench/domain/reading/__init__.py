"""Reads documents that people edit: one reader for JSON and TOML, driven by dataclass declarations."""
