"""Errors for people: one line, the path of the field first."""

from __future__ import annotations

from workbench.domain.errors import InvalidInput, KeyLingers, WorkbenchError


def test_the_path_stands_before_the_reason():
    error = InvalidInput("turns[3].attach[0].priority", 'expected an integer 0..10, got "high"')
    assert str(error) == 'turns[3].attach[0].priority: expected an integer 0..10, got "high"'
    assert (error.path, error.reason) == (
        "turns[3].attach[0].priority",
        'expected an integer 0..10, got "high"',
    )


def test_the_document_itself_has_no_path():
    assert str(InvalidInput("", "expected an object")) == "expected an object"


def test_a_key_that_lingers_is_named_by_its_origin():
    told = str(KeyLingers("https://api.example:443"))
    assert told.startswith("The old key for https://api.example:443 is no longer used")
    assert told.endswith("revoke it at the provider.")


def test_invalid_input_is_something_the_user_can_act_on():
    assert issubclass(InvalidInput, WorkbenchError)
