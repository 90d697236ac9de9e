"""Colours of code: what is what, in any language we trust, and never for long."""

from __future__ import annotations

from time import process_time

import pytest

from workbench.ui.chat.text.highlight import LONGEST_CODE, WINDOW_CHARS, Run, colour_runs


def test_python_has_keywords_names_texts_and_comments():
    runs = colour_runs("def f(x):\n    return 'a'  # why\n", "python")
    assert runs is not None
    assert Run(0, 0, 3, "kw") in runs
    assert Run(0, 4, 1, "fn") in runs
    assert Run(1, 4, 6, "kw") in runs
    assert any(run.ink == "str" and run.line == 1 for run in runs)
    assert Run(1, 16, 5, "comment") in runs


def test_a_diff_shows_what_was_added_and_removed_up_to_its_last_line():
    assert colour_runs("- old\n+ new", "diff") == (Run(0, 0, 5, "del"), Run(1, 0, 5, "add"))


def test_places_are_counted_as_qt_counts_them():
    runs = colour_runs("'😀' + f  # x", "python")
    assert runs is not None
    assert Run(0, 10, 3, "comment") in runs


@pytest.mark.parametrize("language", ["", "no such language", "ocaml", "brainfuck"])
def test_other_languages_stay_plain(language: str):
    assert colour_runs("let x = 1", language) is None


@pytest.mark.parametrize("language", ["py", "js", "sh", "console", "ini", "c++", "yml", "jsonc", "PYTHON"])
def test_a_language_is_known_by_its_other_names(language: str):
    assert colour_runs("x = 1 # y\n", language) is not None


def test_long_code_stays_plain():
    assert colour_runs("x = 1\n" * (LONGEST_CODE // 6 + 1), "python") is None


def test_a_long_text_is_read_in_windows_and_keeps_its_lines():
    code = "def name():\n    return 1\n\n\n" * 700
    assert len(code) > 2 * WINDOW_CHARS
    runs = colour_runs(code, "python")
    assert runs is not None
    assert {run.line for run in runs if run.ink == "fn"} == set(range(0, 4 * 700, 4))


def test_it_gives_up_when_told():
    assert colour_runs("x = 1\n" * 100, "python", lambda: True) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("typescript", "a."),
        ("java", "a b c\n"),
        ("csharp", "a b c\n"),
        ("html", "&&"),
        ("yaml", "`"),
        ("perl", "m{"),
        ("python", "0"),
        ("c", "0"),
    ],
)
def test_hostile_code_lets_others_have_a_turn(language: str, text: str):
    """Several lexers need the square of the length: 50 kB took minutes in one go."""
    code = (text * LONGEST_CODE)[:LONGEST_CODE]
    longest, last, started = 0.0, process_time(), process_time()

    def give_up() -> bool:
        nonlocal longest, last
        now = process_time()
        longest, last = max(longest, now - last), now
        return now - started > 0.3

    colour_runs(code, language, give_up)
    assert longest < 2
