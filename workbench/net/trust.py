"""Which certificates are believed: the system's and certifi's, whatever the environment says, and one's own."""

from __future__ import annotations

import ssl
from functools import cache

from workbench.net.rules import NotSent


@cache
def trusted(ca_file: str = "") -> ssl.SSLContext:
    """One context for all connections: reading the certificates takes some milliseconds."""
    import certifi
    import httpx2

    # Neither SSL_CERT_FILE nor SSLKEYLOGFILE is read this way, which Python's default context would do.
    context = httpx2.create_ssl_context(trust_env=False)
    # A small system may have no certificates of its own.
    context.load_verify_locations(certifi.where())
    if ca_file:
        try:
            context.load_verify_locations(ca_file)
        except (OSError, ValueError) as problem:
            raise NotSent(
                f"The certificates in {ca_file} cannot be read ({problem}), so nothing was sent. Check `ca_file`."
            ) from None
    return context
