"""A secret does not show itself by accident."""

from __future__ import annotations

import copy
import json
import logging

import pytest

from workbench.domain.secrets import Secret

CANARY = "canary-7f3a"
SECRET = Secret.of_text(CANARY)


@pytest.mark.parametrize(
    "shown",
    [repr(SECRET), str(SECRET), f"{SECRET}", f"{SECRET!r}", repr([SECRET]), repr({"k": SECRET})],
)
def test_no_way_of_printing_shows_it(shown: str):
    assert CANARY not in shown
    assert "Secret(…)" in shown


def test_an_exception_and_a_log_line_do_not_show_it(caplog: pytest.LogCaptureFixture):
    logging.getLogger("test").warning("got %s", SECRET)
    assert CANARY not in caplog.text
    assert CANARY not in repr(ValueError(SECRET))


def test_it_is_shown_when_asked_by_name():
    assert SECRET.reveal() == CANARY.encode()
    assert SECRET.reveal_text() == CANARY


def test_it_is_not_written_out():
    with pytest.raises(TypeError):
        copy.deepcopy(SECRET)
    with pytest.raises(TypeError):
        json.dumps(SECRET)
    assert not hasattr(SECRET, "__dict__")


def test_equal_bytes_are_equal_and_nothing_else_is():
    assert Secret(b"a") == Secret(b"a")
    assert Secret(b"a") != Secret(b"b")
    assert Secret(b"a") != b"a"
    with pytest.raises(TypeError):
        hash(SECRET)


def test_only_the_empty_one_is_false():
    assert not Secret(b"")
    assert Secret(b"\0")


def test_text_that_is_no_unicode_survives():
    """A file name or variable may hold bytes that are no UTF-8; they arrive as lone surrogates."""
    assert Secret.of_text("a\udcffb").reveal_text() == "a\udcffb"
