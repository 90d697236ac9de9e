"""Makes the sample chat from the files that come with the program."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.record import ChatArchive
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.prepare import Builder
from workbench.engine.program.sample_chat import ANSWER_TOKENS, Frame, sample_archive
from workbench.sources.resources import load_sample, resource_path
from workbench.wiring.folder import new_id, utc_now


def sample_chat(
    builder: Builder, settings: ContextSettings, answer_tokens: int = ANSWER_TOKENS
) -> ChatArchive:
    """Returns the sample as a new chat, dated now."""
    short = replace(settings, reserved_output_tokens=answer_tokens)
    frame = Frame(new_id(), short, utc_now())
    return sample_archive(load_sample(resource_path("sample")), frame, builder)
