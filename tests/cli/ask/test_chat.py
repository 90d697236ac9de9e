"""The arguments of `workbench ask` as values."""

from __future__ import annotations

import argparse

import pytest

from workbench.cli.ask import command
from workbench.cli.ask.asking import Text
from workbench.cli.ask.question import read_question
from workbench.domain.errors import InvalidInput


def given(*argv: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(argv)


def test_a_bare_question_leaves_everything_as_it_is():
    question = read_question(given("Why?"))
    assert (question.texts, question.chat, question.attach, question.overrides) == (
        (Text("Why?"),),
        None,
        (),
        {},
    )
    assert not question.tools
    assert (question.preset, question.save_preset) == (None, None)


def test_the_model_is_a_setting_like_others_and_wins():
    question = read_question(
        given("Why?", "--set", "model=a", "--model", "b", "--set", "history.threshold=0.5")
    )
    assert question.overrides == {"model": "b", "history.threshold": 0.5}


def test_a_path_may_hold_an_equals_sign():
    assert read_question(given("Q", "--attach", "a=b.md", "--priority", "a=b.md=0")).priorities == {
        "a=b.md": 0
    }


@pytest.mark.parametrize("text", ["gone.md=3", "=3", "a.md=", "a.md=-1", "a.md=x", "a.md=1.5"])
def test_a_priority_is_a_path_and_a_number(text: str):
    with pytest.raises(InvalidInput):
        read_question(given("Q", "--attach", "a.md", "--priority", text))


@pytest.mark.parametrize("text", ["gone.md=300", "=300", "a.md=", "a.md=-1", "a.md=99", "a.md=x"])
def test_a_length_is_a_path_and_a_number_of_tokens(text: str):
    with pytest.raises(InvalidInput, match="--shorten"):
        read_question(given("Q", "--attach", "a.md", "--shorten", text))


def test_a_length_may_be_all_of_it():
    given_twice = ("--attach", "a.md", "--attach", "b.md", "--shorten", "a.md=300", "--shorten", "b.md=0")
    assert read_question(given("Q", *given_twice)).lengths == {"a.md": 300, "b.md": 0}


def test_a_preset_is_named_and_may_be_none_at_all():
    assert read_question(given("Q", "--preset", "terse")).preset == "terse"
    assert read_question(given("Q", "--preset", "")).preset == ""
    assert read_question(given("Q", "--chat", "c", "--save-preset", "mine")).save_preset == "mine"
