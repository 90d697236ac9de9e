"""The whole state behind the scripted pictures, as the engine would publish it."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes import sample_texts as texts
from tests.fakes.sample_envelope import MODEL, sample_view, trial_view
from tests.fakes.sample_turns import sample_turns
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Message, Thought, ToolCall
from workbench.domain.model import ModelCard, ModelListing
from workbench.domain.record import Chat, Record
from workbench.domain.segment import LayerName
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.attachment_view import AttachmentRow
from workbench.domain.shown.diff_view import DiffCause, DiffSide, DiffView
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.tool import ToolPreview
from workbench.engine.conversation import Conversation
from workbench.engine.state import ChatState, Readiness, RunningTurn, ToolCard, Trial, WorkbenchState

# How the scripted request differs from the last one sent, once docs/api.md is read anew.

PARTS_8: tuple[tuple[LayerName, int], ...] = (
    ("L1_SYSTEM", 820), ("L1_SYSTEM", 240), ("L2_PREVIOUS", 410), ("L2_PREVIOUS", 365), ("L4_STRIP", 1_480),
    ("L4_STRIP", 890), ("L3_TURN", 9), ("L5_USER", 61),
)  # fmt: skip
PARTS_9: tuple[tuple[LayerName, int], ...] = (
    ("L1_SYSTEM", 820), ("L1_SYSTEM", 240), ("L2_PREVIOUS", 410), ("L2_PREVIOUS", 388), ("L4_STRIP", 1_480),
    ("L4_STRIP", 890), ("L4_STRIP", 1_310), ("L3_TURN", 9), ("L3_TURN", 6_120), ("L5_USER", 42),
)  # fmt: skip


def sample_diff() -> DiffView:
    """The library's copy of docs/api.md changed: everything after token 1,482 is read again."""
    causes = (
        DiffCause(
            "file_changed", "L2_PREVIOUS", "docs/api.md", "file", 365, 388, breaks=True, lost_tokens=2_723,
            before_digest="17c9b4e3", after_digest="9af05d21", texts=lambda: (texts.API_BEFORE, texts.API_AFTER),
        ),
        DiffCause(
            None, "L4_STRIP", "turn 8", "turn", 0, 1_310, numbers=(8, 8), texts=lambda: ("", texts.ANSWER_8),
        ),
        DiffCause("attached", "L3_TURN", "src/auth.py", "file", 0, 6_120, texts=lambda: ("", texts.SOURCE)),
        DiffCause(None, "L5_USER", "question", "question", 61, 42, texts=lambda: (texts.QUESTION_8, texts.DRAFT)),
    )  # fmt: skip
    return DiffView(
        before=DiffSide(8, "2026-11-12T14:01:00Z", 4_275, PARTS_8),
        after=DiffSide(9, "", 11_709, PARTS_9),
        change="diverged",
        first_difference_token=1_482,
        reused_tokens=1_482,
        lost_tokens=2_723,
        lasting_tokens=4_205,
        extra_cost_usd=0.0008,
        causes=causes,
    )


CHAT = "token-refresh"
NOW = "2026-11-12T14:07:00Z"
CHATS = (
    (CHAT, "Token refresh in auth.py", "2026-11-12T14:06:00Z"),
    ("c2", "Release notes 0.9", "2026-11-12T11:20:00Z"),
    ("c3", "Why is the index slow?", "2026-11-12T09:48:00Z"),
    ("c4", "Schema for the audit log", "2026-11-11T17:31:00Z"),
    ("c5", "Rewrite the onboarding mail", "2026-11-11T15:02:00Z"),
    ("c6", "PDF tables to CSV", "2026-11-11T10:15:00Z"),
    ("c7", "Compare vLLM and llama.cpp", "2026-11-06T16:00:00Z"),
    ("c8", "Interview questions, backend", "2026-11-05T13:00:00Z"),
    ("c9", "Regex for log levels", "2026-11-05T09:00:00Z"),
    ("c10", "Postmortem 2 November", "2026-11-02T18:00:00Z"),
)
SETTINGS = ContextSettings(model=MODEL, context_window=18_000, reserved_output_tokens=2_000)


def sample_state() -> WorkbenchState:
    """The chat of the main picture, with a draft and a tool that waits for an answer."""
    chats = tuple(Chat(key, used, title, replace(SETTINGS), used_utc=used) for key, title, used in CHATS)
    return WorkbenchState(
        chats=chats,
        open={CHAT: sample_chat(chats[0])},
        models=_models(),
        readiness={MODEL: Readiness(ready=True)},
        key_origins=("https://api.openai.com",),
    )


def sample_chat(chat: Chat) -> ChatState:
    """The open chat."""
    return ChatState(
        chat=chat,
        conversation=Conversation(
            CHAT, turn=8, attached=tuple(_artifact(row) for row in sample_attachments())
        ),
        records=_records(),
        draft=texts.DRAFT,
        running=None,
        view=with_diff(sample_view()),
        attachments=sample_attachments(),
        turns=sample_turns(),
        versions={"m16": ("m16a", "m16", "m16c")},
        trial=None,
        disk={"docs/api.md": ("changed", "2026-11-12T14:02:00Z")},
    )


def waiting_tool(chat: ChatState) -> ChatState:
    """The chat while a tool waits for a decision."""
    call = ToolCall("call-1", "edit", '{"path": "src/auth.py"}')
    preview = ToolPreview("change src/auth.py", texts.EDIT_DIFF)
    return replace(chat, running=RunningTurn(8, "m15", tools=(ToolCard(call, preview),)))


def sample_trial() -> Trial:
    """What keeping only the last two turns would do."""
    view = trial_view()
    history = replace(SETTINGS.history, keep_last_n_assistant=2)
    falls = (sample_view().layers[2].rows[0].key,)
    return Trial(replace(SETTINGS, history=history), view, 2_370, 0.0001, falls)


def with_diff(view: EnvelopeView) -> EnvelopeView:
    """A request that knows how it differs from the last one."""
    return replace(view, diff=sample_diff)


def sample_attachments() -> tuple[AttachmentRow, ...]:
    """Four files, one compacted, one changed on the disk, one sent, one dropped."""
    return (
        AttachmentRow(
            "project-spec.md", "file", "project-spec.md", 410, 3, False, "compacted", texts.SPEC, texts.SPEC, "same",
        ),
        AttachmentRow(
            "docs/api.md", "file", "docs/api.md", 365, 5, False, "compacted", texts.API_BEFORE, texts.API_BEFORE,
            "changed", "2026-11-12T14:02:00Z", refresh_tokens=2_723, refresh_usd=0.0008,
        ),
        AttachmentRow(
            "src/auth.py", "file", "src/auth.py", 6_120, 5, False, "sent", texts.SOURCE, texts.SOURCE, "same",
        ),
        AttachmentRow("logs/big.log", "file", "logs/big.log", 18_800, 10, False, "dropped", "…", "", "same"),
    )  # fmt: skip


def _artifact(row: AttachmentRow) -> Artifact:
    return Artifact(row.key, row.kind, row.content, row.name, row.priority, row.pinned)


def _records() -> tuple[Record, ...]:
    said = [
        _record(13, Message("m13", "user", (texts.QUESTION_7,)), "13:57"),
        _record(14, Message("m14", "assistant", (texts.ANSWER_7,)), "13:57"),
        _record(15, Message("m15", "user", (texts.QUESTION_8,)), "14:01"),
        _record(
            16, Message("m16", "assistant", (texts.ANSWER_8,), thinking=(Thought(texts.THOUGHT_8),)), "14:01"
        ),
    ]
    return tuple(said)


def _record(number: int, message: Message, at: str) -> Record:
    parent = None if number == 13 else f"m{number - 1}"
    return Record(CHAT, message, f"2026-11-12T{at}:00Z", parent, number)


def _models() -> tuple[ModelListing, ...]:
    def card(name: str, provider: str, window: int) -> ModelCard:
        return ModelCard(name, provider, window, None, "o200k_base", True, 3, 3, None, "2026-11-12")

    return (
        ModelListing("builtin", card("SmolLM2 135M", "builtin", 8_192), True),
        ModelListing("ollama:llama3.2", card("llama3.2", "ollama", 131_072), True),
        ModelListing("ollama:qwen3:8b", card("qwen3:8b", "ollama", 40_960), True),
        ModelListing(MODEL, card("gpt-4.1-mini", "openai", 1_047_576), True),
        ModelListing("openai:gpt-4.1", card("gpt-4.1", "openai", 1_047_576), True),
        ModelListing("openai:gpt-4o", card("gpt-4o", "openai", 128_000), True),
        ModelListing("anthropic:NAME", None, False, "add a key in the settings"),
    )
