"""Reading what people write: one reader for every JSON or TOML document, driven by the values it makes."""
