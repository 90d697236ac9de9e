"""Which certificates are believed: the system's and certifi's, whatever the environment says."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def trusted() -> ssl.SSLContext:
    """One context for all connections: reading the certificates takes some milliseconds."""
    import certifi
    import httpx2

    # Neither SSL_CERT_FILE nor SSLKEYLOGFILE is read this way, which Python's default context would do.
    context = httpx2.create_ssl_context(trust_env=False)
    # A small system may have no certificates of its own.
    context.load_verify_locations(certifi.where())
    return context
