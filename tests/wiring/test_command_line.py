"""The parts fit together: what wiring builds runs a conversation with the real tokenizer and catalogue."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from tests.fakes.turns import user
from workbench.cli.main import run
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.trajectory import Trajectory, TrajectoryTurn
from workbench.engine.replay import replay
from workbench.wiring.command_line import command_parts


def test_the_parts_replay_a_trajectory():
    turn = TrajectoryTurn(ContextSettings(system_prompt="You are terse."), question=user("m1", "Hello world"))
    report = replay(Trajectory("talk", turns=(turn,)), command_parts(Namespace()).builder)
    (found,) = report["turns"]
    # gpt-4o: 3 a message and 1 for its role, 4 and 2 for the texts, 3 to open the answer.
    assert (found["total_tokens"], found["count"], found["window_tokens"]) == (17, "exact", 112_000)
    assert found["violations"] == []


def test_every_phase_is_timed_by_the_machine_s_clock():
    turn = TrajectoryTurn(ContextSettings(counter="chars4"), question=user("m1"))
    report = replay(Trajectory("talk", turns=(turn,)), command_parts(Namespace()).builder)
    timed = report["turns"][0]["metrics"]["build_ms"]
    assert list(timed) == ["library", "process", "compact", "render"]
    assert all(milliseconds >= 0 for milliseconds in timed.values())


def test_nothing_is_shared_between_two_sets_of_parts():
    one, other = command_parts(Namespace()), command_parts(Namespace())
    assert one.builder.counters is not other.builder.counters


@pytest.mark.parametrize(
    "argv",
    [
        ("history", "delete", "some"), ("history", "purge"), ("history", "undo", "some"),
        ("keys", "provider", "openai", "--remove"), ("ask", "Well?", "--chat", "some"), ("history", "list"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_mistyped_folder_gets_no_store(
    argv: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    """`history purge` in a folder that was not there made keys, a store and a recovery code."""
    monkeypatch.setenv("WORKBENCH_PASSPHRASE", "four words as one")
    typo = tmp_path / "dtaa"
    assert run([*argv, "--data-dir", str(typo)], command_parts) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"workbench: There is no history in {typo}")
    assert not typo.exists()
