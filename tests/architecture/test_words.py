"""What people read is in the usual words: forms that were given up do not come back."""

from __future__ import annotations

import re
from collections.abc import Iterable

from strings import Shown, strings_of
from tests.architecture.source_tree import modules, parse, relative

FORBIDDEN = re.compile(
    r"\b(anew|stands? (for|before|by)|by (itself|themselves)|(goes|go|went) out|falls?|(is|are|be) told"
    r"|so many|so long|nobody|somebody|anybody|whoever|it is no (?!longer)|is no [a-z]+ such as|whatever is asked"
    r"|of new chats here|otherwise|comes? back|a turn after|our|ours|not looked at|where not given"
    r"|enough of its beginning|kept under|its most telling)\b",
    re.IGNORECASE,
)
PLACEHOLDER = re.compile(r"\{\w+[^{}]*\}")


def given_up(shown: Iterable[Shown]) -> list[str]:
    """What of these has a form that was given up, with its place."""
    return [
        f"{each.file}:{each.line}: {each.text}"
        for each in shown
        if FORBIDDEN.search(PLACEHOLDER.sub("", each.text))
    ]


def test_no_string_has_a_form_that_wasgiven_up():
    shown = [each for path in modules() for each in strings_of(parse(path), relative(path))]
    assert given_up(shown) == []
    assert len(shown) > 2000, "the marks of strings are found"


def test_each_form_is_recognised_and_a_placeholder_is_not():
    old = (
        "Read it anew",
        "It falls first",
        "Nobody knows",
        "it is no text",
        "What it stands for",
        "our change",
    )
    assert len(given_up(Shown("a.py", 1, text) for text in old)) == len(old)
    assert given_up([Shown("a.py", 1, "Applying drops {falls}: the history falling behind")]) == []
