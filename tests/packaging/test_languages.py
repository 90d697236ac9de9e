"""The catalogues have every word of the program, with the same values, and the compiled ones are made from them."""

from __future__ import annotations

import pytest
from babel.messages.catalog import Catalog

import languages
from workbench.files.language import LANGUAGES


def test_every_language_is_complete_and_of_now(capsys: pytest.CaptureFixture[str]):
    status = languages.main(["--check"])
    assert (status, [line for line in capsys.readouterr().out.splitlines() if ", 0 to do" not in line]) == (
        0,
        [],
    )
    assert {path.stem for path in languages.FOLDER.glob("*.po")} == set(LANGUAGES) - {"en"}


def test_what_is_missing_outdated_or_has_other_values_is_told():
    made = Catalog(locale="de")
    made.add("{n} files", "{n} Dateien")
    made.add("{n} chats", "{m} Chats")
    made.add("Send", "")
    made.add("Stop", "Halt", flags=["fuzzy"])
    assert list(languages.problems(made)) == [
        "other values: '{n} chats'",
        "missing: 'Send'",
        "outdated: 'Stop'",
    ]
