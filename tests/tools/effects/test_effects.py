"""Fingerprints tell changes apart."""

from __future__ import annotations

from workbench.tools.effects.effects import fingerprint_of


def test_parts_do_not_run_into_one_another():
    assert fingerprint_of(["ab", "c"]) != fingerprint_of(["a", "bc"])
    assert fingerprint_of(["a", ""]) != fingerprint_of(["a"])
    assert fingerprint_of(["a", "b"]) == fingerprint_of(["a", "b"])
