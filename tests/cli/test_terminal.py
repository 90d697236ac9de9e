"""The person at the terminal: asked unseen, twice for what is new, and never where nobody sits."""

from __future__ import annotations

import getpass
import sys
from types import SimpleNamespace

import pytest

from workbench.cli.terminal import Terminal, agrees_to_spend, find_terminal, tell, tell_progress
from workbench.domain.errors import StoreLocked, UnusableSecret
from workbench.domain.secrets import Secret


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What will be typed; `getpass` reads the terminal device, which tests have none of."""
    lines: list[str] = []

    def typed(prompt: str, stream: object) -> str:
        if not lines:
            raise EOFError
        return lines.pop(0)

    monkeypatch.setattr(getpass, "getpass", typed)
    return lines


def test_what_is_typed_is_a_secret(types: list[str]):
    types.append("word")
    assert Terminal().ask("Passphrase") == Secret.of_text("word")


def test_the_end_of_input_is_told(types: list[str]):
    with pytest.raises(StoreLocked, match="Nothing was typed"):
        Terminal().ask("Passphrase")


def test_a_new_one_is_typed_twice_alike(types: list[str], capsys: pytest.CaptureFixture[str]):
    types.extend(["one", "two", "", "three", "three"])
    assert Terminal().ask_new() == Secret.of_text("three")
    assert "do not match" in capsys.readouterr().err


def test_after_three_tries_none_is_chosen(types: list[str]):
    types.extend(["a", "b"] * 3)
    with pytest.raises(UnusableSecret, match="No passphrase was chosen"):
        Terminal().ask_new()


def test_a_pipe_is_no_terminal(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert find_terminal() is None


def test_ctrl_c_at_the_price_says_that_nothing_happened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def left() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True, readline=left))
    with pytest.raises(KeyboardInterrupt):
        agrees_to_spend(yes=False, priced=True)
    assert "\nStopped. No model was asked, and nothing was changed.\n" in capsys.readouterr().err


def test_where_nobody_can_agree_an_option_that_helps_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "stdin", None)
    assert agrees_to_spend(yes=True, priced=False)
    for priced, named in ((True, "use --cap-usd or --yes."), (False, "use --yes.")):
        assert not agrees_to_spend(yes=False, priced=priced)
        assert named in capsys.readouterr().err


def test_words_for_people_go_beside_the_results(capsys: pytest.CaptureFixture[str]):
    tell("hello")
    assert capsys.readouterr() == ("", "hello\n")


def test_only_who_watches_is_told_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    tell_progress("half")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    tell_progress("half")
    tell_progress("")
    assert capsys.readouterr() == ("", "\r\x1b[Khalf\r\x1b[K")
