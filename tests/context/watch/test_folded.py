"""An error is told in a server's own words, however it writes them."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.context.watch.documents import Folded


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"error": {"message": "No."}}, "No."),
        ({"error": "No."}, "No."),
        ({"message": "No."}, "No."),
        ({"error": {"code": 7}}, '{"error":{"code":7}}'),
    ],
)
def test_an_error_has_words(document: dict[str, Any], words: str):
    folded = Folded()
    folded.say_error(document)

    assert folded.answer().error == words
    assert not folded.answer().cut


def test_without_its_end_it_was_cut():
    assert Folded().answer().cut
