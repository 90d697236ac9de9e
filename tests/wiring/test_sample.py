"""The sample chat with the program's own files and counters."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from workbench.domain.settings.context_settings import ContextSettings
from workbench.wiring.building import make_builder, make_catalogue
from workbench.wiring.folder import ProgramFolder
from workbench.wiring.sample import sample_chat


def test_the_sample_is_three_turns_long_and_answers_are_kept_short(tmp_path: Path):
    builder = make_builder(make_catalogue(ProgramFolder(Namespace(data_dir=str(tmp_path)))))
    archive = sample_chat(builder, ContextSettings(model="builtin"), 200)
    assert len(archive.turns) == 2
    assert archive.draft
    assert archive.chat.settings.reserved_output_tokens == 200
    assert all(turn.built.envelope.fits for turn in archive.turns)
    last = archive.turns[-1].built.envelope
    assert last.budget.window_tokens == 2_048
    assert 0.15 < last.total_tokens / last.budget.window_tokens < 0.5  # enough to see and to tune
    other = sample_chat(builder, ContextSettings(model="builtin"))
    assert other.chat.id != archive.chat.id
