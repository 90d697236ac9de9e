"""Signs of what a file is."""

from __future__ import annotations

from workbench.sources.extract.signs import has_cells, header_names


def test_headers_may_be_folded():
    assert header_names("From: a\n b\nSubject: c\n\nFrom here\n") == {"from", "subject"}
    assert header_names("no header\nFrom: a\n\n") == frozenset()


def test_a_notebook_has_cells():
    assert has_cells('{"nbformat": 4, "cells": []}')
    assert not has_cells('{"nbformat": 4}')
    assert not has_cells('["nbformat"]')
    assert not has_cells('{"nbformat": ')
