"""`ask --chat` sends attached files as they are now, and says what it did about them."""

from __future__ import annotations

from tests.cli.ask.test_command import Capture, Setup


def asked(setup: Setup, number: int) -> str:
    """A request as the model got it."""
    return "\n".join(message.text for message in setup.model.requests[number].messages)


def test_a_file_that_was_attached_earlier_goes_out_as_it_is_now(capsys: Capture):
    setup = Setup(**{"a.md": "Alpha."})
    assert setup.ask("One?", "--attach", "a.md") == 0
    setup.files.texts["a.md"] = "Alpha, newer."
    capsys.readouterr()
    assert setup.ask("Two?", "Three?", "--chat", "chat1") == 0
    assert ("Alpha, newer." in asked(setup, 1), "Alpha." in asked(setup, 1)) == (True, False)
    err = capsys.readouterr().err
    assert err.count("workbench: a.md had changed: it was refreshed before sending.") == 1


def test_where_the_copy_is_to_stay_it_does(capsys: Capture):
    setup = Setup(**{"a.md": "Alpha."})
    assert setup.ask("One?", "--attach", "a.md", "--set", "freshness=freeze") == 0
    setup.files.texts["a.md"] = "Alpha, newer."
    assert setup.ask("Two?", "--chat", "chat1") == 0
    assert ("Alpha, newer." in asked(setup, 1), "Alpha." in asked(setup, 1)) == (False, True)


def test_of_a_file_that_is_gone_the_copy_goes_out_and_that_is_said(capsys: Capture):
    setup = Setup(**{"a.md": "Alpha."})
    assert setup.ask("One?", "--attach", "a.md") == 0
    del setup.files.texts["a.md"]
    capsys.readouterr()
    assert setup.ask("Two?", "Three?", "--chat", "chat1") == 0
    assert "Alpha." in asked(setup, 1)
    assert capsys.readouterr().err.count("workbench: a.md is gone; its copy is sent\n") == 1
