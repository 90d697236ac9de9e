"""The command line described for shells and manuals, from its own parsers."""
