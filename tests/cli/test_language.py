"""Commands speak the reader's language to people; what programs read, and what a model gets, is always the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.replay.test_command import replay, trajectory
from tests.trajectories.cases import case_names, load_case
from tests.trajectories.support import run
from workbench.cli.ask.question import not_attached_error
from workbench.cli.lazy_parser import PlainParser
from workbench.cli.terminal import print_json, tell
from workbench.domain.errors import InvalidInput
from workbench.domain.files.attached import LeftOut
from workbench.domain.translation import counted, tr
from workbench.files.language import LANGUAGES, PSEUDO, use_language
from workbench.sources.extract.refusal import broken
from workbench.sources.resources import resource_path

__all__ = ["trajectory"]
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def english_after() -> Iterator[None]:
    yield
    use_language("en", Path())


def test_a_message_is_in_the_language_and_its_json_is_not(capsys: Capture):
    use_language("zh_CN", resource_path())
    error = InvalidInput("turn", tr("there is no preset {name!r}", name="x"))
    tell(str(error))
    print_json({"error": str(error), "what": counted(2000, "chat")})
    shown = capsys.readouterr()
    assert shown.err == "turn: 没有预设 'x'\n"
    assert json.loads(shown.out) == {"error": "turn: there is no preset 'x'", "what": "2,000 chats"}


def test_what_could_not_be_attached_is_said_in_the_language(capsys: Capture):
    """The advice was joined and stripped, which made it English."""
    use_language("zh_CN", resource_path())
    refusal = broken(tr("PDF"))
    error = not_attached_error((LeftOut("y.pdf", refusal.reason, refusal.advice, refused=True),))
    tell(str(error))
    told = capsys.readouterr().err
    assert "y.pdf：它是损坏的 PDF。" in told
    assert "Open it" not in told
    assert "asks without" not in told


def test_help_is_in_the_language(capsys: Capture):
    use_language("zh_CN", resource_path())
    parser = PlainParser(prog="workbench")
    parser.add_argument("--json", help="print the result as JSON")
    parser.print_help()
    shown = capsys.readouterr().out
    assert "以 JSON 打印结果" in shown
    assert "print the result" not in shown


@pytest.mark.parametrize("language", [*LANGUAGES, PSEUDO])
def test_a_report_is_the_same_bytes_in_every_language(language: str, trajectory: Path, capsys: Capture):
    assert replay(str(trajectory)) == 0
    english = capsys.readouterr().out
    use_language(language, resource_path())
    assert replay(str(trajectory)) == 0
    assert capsys.readouterr().out == english


@pytest.mark.parametrize("name", case_names()[::9])
def test_what_a_model_gets_is_the_same_in_every_language(name: str):
    def built(by: str) -> list[dict[str, object]]:
        return [{key: turn[key] for key in turn if key != "metrics"} for turn in run(load_case(name), by)]

    english = built("shared")
    use_language(PSEUDO, Path())
    assert built("another") == english
