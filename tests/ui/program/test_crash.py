"""A crash report says where in the program it happened, and nothing of the user's."""

from __future__ import annotations

import sys

from workbench.ui.program.crash import CrashWatch, crash_text


def fail(words: str) -> None:
    try:
        raise KeyError(words)
    except KeyError as inner:
        raise ValueError(f"while reading {words}") from inner


def caught(words: str) -> BaseException:
    try:
        fail(words)
    except ValueError as error:
        return error
    raise AssertionError


def test_messages_are_left_out_because_they_may_quote_a_chat():
    text = crash_text(caught("my secret diary"), "1.2", lambda text: text)
    assert "secret diary" not in text
    assert "builtins.ValueError" in text
    assert "builtins.KeyError" in text
    assert "in fail" in text
    assert text.startswith("Context Workbench 1.2\nPython ")


def test_neither_locals_nor_notes_nor_a_task_s_name_show_a_secret_or_a_chat(qtbot):
    key, draft = "sk-123", "my secret diary"
    watch = CrashWatch("1", lambda text: text.replace(key, "[hidden]"))
    watch.heard = True
    error = caught(draft)
    error.add_note(f"while {draft} was typed")
    with qtbot.waitSignal(watch.crashed) as shown:
        watch.report(f"asking with {key}", error)
    watch.close()
    assert draft not in shown.args[0]
    assert shown.args[0].startswith("asking with [hidden]\n")


def test_no_folder_of_the_user_is_named():
    from workbench.ui.program.crash import _place

    assert _place("/home/lena/src/workbench/ui/app.py") == "workbench/ui/app.py"
    assert _place("/home/lena/notes.py") == "notes.py"


def test_the_report_goes_through_redaction():
    assert "[hidden]" in crash_text(caught("x"), "sk-123", lambda text: text.replace("sk-123", "[hidden]"))


def test_an_error_that_nobody_caught_is_reported_and_the_program_goes_on(qtbot):
    before = sys.excepthook
    watch = CrashWatch("1", lambda text: text)
    watch.heard = True
    with qtbot.waitSignal(watch.crashed) as heard:
        error = caught("x")
        sys.excepthook(type(error), error, error.__traceback__)
    assert "builtins.ValueError" in heard.args[0]
    watch.close()
    assert sys.excepthook is before


def test_what_fails_while_nobody_shows_it_is_logged_and_opens_no_dialog(qapp, caplog):
    """Before the window was heard it vanished; while it was being closed, a dialog opened over nothing."""
    watch, shown = CrashWatch("1", lambda text: text), list[str]()
    watch.crashed.connect(shown.append)
    error = caught("x")
    watch.report("loading", error)
    watch.heard = True
    watch.stop_showing()
    watch.report("keeping", error)
    sys.excepthook(type(error), error, error.__traceback__)
    watch.close()
    assert shown == []
    assert [(one.getMessage(), getattr(one, "shown", None)) for one in caplog.records] == [
        ("loading failed", False),
        ("keeping failed", False),
        ("something failed", False),
    ]
    assert all(one.exc_info and one.exc_info[1] is error for one in caplog.records)


def test_what_is_shown_is_logged_too(qtbot, caplog):
    watch, shown = CrashWatch("1", lambda text: text), list[str]()
    watch.crashed.connect(shown.append)
    watch.heard = True
    watch.report("painting", caught("x"))
    watch.close()
    assert len(shown) == 1
    assert [(one.getMessage(), getattr(one, "shown", None)) for one in caplog.records] == [
        ("painting failed", True)
    ]
