"""A proxy on loopback that passes the requests of other programs on byte for byte, and keeps copies to inspect."""
