"""Which certificates are believed."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from workbench.net.connections import trusted


def test_certificates_and_names_are_checked():
    context = trusted()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.cert_store_stats()["x509_ca"] > 50


def test_it_is_made_once():
    assert trusted() is trusted()


def test_the_environment_can_neither_replace_the_certificates_nor_listen_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """SSLKEYLOGFILE would write the keys of every connection to a file."""
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    context = trusted.__wrapped__()
    assert context.cert_store_stats()["x509_ca"] > 50
    assert context.keylog_filename is None
