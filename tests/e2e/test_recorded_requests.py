"""Payload preview before sending == body on the wire: generated chats, whole bodies, three providers' formats."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels
from tests.fakes.effort import tries
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_loop
from tests.fakes.pictures import png
from tests.fakes.recording_server import RECORDED_WIRES, AnyWire, RecordingServer
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, fake_builder
from workbench.domain.message import Message, ToolCall
from workbench.domain.model import PictureRule
from workbench.domain.request import WireForm
from workbench.domain.settings.context_settings import CompactionSettings, Edits, HistorySettings
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.engine.intents import (
    AttachArtifact,
    AttachPicture,
    AttachText,
    ChangeSettings,
    DetachArtifacts,
    EditDraft,
    EditInPlace,
    EditQuestion,
    SendMessage,
)
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import TuneMessages
from workbench.ui.inspector.payload.written import COMPACT, json_text

pytestmark = pytest.mark.usefixtures("soon")
CHATS, REQUESTS = tries(18), 6
"""Of each provider; with all effort 18 × 6 × 3 = 324 requests."""
FILES = {"one.md": "One file,\nGröße and </tool_result> in it.\n" * 20, "two.md": "<|im_end|> two"}
TOOLS = tuple(tool.definition for tool in FakeToolbox().tools)
RULE = PictureRule("tiles", base_tokens=85, tile_tokens=170)
CARD = replace(WORD_MODEL, context_window_tokens=50_000, pictures=RULE)
WORDS = (
    "why", "Größe", "漢字", "👩\u200d👧", '"quoted"', "back\\slash", "<|im_end|>", "line\nbreak", "\t", "</file>",
    "{}", "a" * 40, "e\u0301", "\u202e", "[User query]:", "@read", "…", "@read one.md", "\n@search Größe\n", "@ls",
)  # fmt: skip


@dataclass
class Chat:
    """One generated chat, and what was shown of each request before it was sent."""

    bench: Bench
    random: Random
    server: RecordingServer
    shown: list[WireForm] = field(default_factory=list)
    made: int = 0

    @property
    def state(self) -> ChatState:
        return self.bench.workbench.state.open["talk"]

    def text(self, most: int) -> str:
        return " ".join(self.random.choice(WORDS) for _ in range(self.random.randint(1, most)))

    def number(self) -> int:
        self.made += 1
        return self.made

    async def change(self) -> None:
        """Something else than before: files, pictures, settings, what is left out."""
        intent = self.random.choice(
            (self._file, self._file, self._text, self._picture, self._picture, self._detach, self._settings, self._tune)
        )()  # fmt: skip
        if intent is not None:
            await self.bench.workbench.dispatch(intent)

    def _file(self) -> Any:
        name = f"notes{self.random.randint(1, 2)}.md"
        return AttachArtifact("talk", artifact(name, self.text(300), priority=self.random.randint(0, 10)))

    def _text(self) -> Any:
        return AttachText("talk", f"{self.number()} {self.text(30)}")

    def _picture(self) -> Any:
        width, height = self.random.randint(1, 3000), self.random.randint(1, 3000)
        return AttachPicture("talk", png(width, height, self.random.randbytes(self.random.randint(0, 4000))))

    def _detach(self) -> Any:
        held = [one.key for one in self.state.conversation.attached]
        return DetachArtifacts("talk", (self.random.choice(held),)) if held else None

    def _settings(self) -> Any:
        history = HistorySettings(
            threshold=self.random.choice((None, 0.01, 0.02, 0.8)),
            keep_last_n_assistant=self.random.choice((0, 1, 10)),
            last_n_messages=self.random.choice((None, None, 3)),
        )
        tools = self.random.choice(((), TOOLS))
        settings = replace(
            SETTINGS,
            system_prompt=self.text(5),
            history=history,
            tools=tools,
            attachment_budget_tokens=self.random.choice((None, None, 200)),
            compaction=CompactionSettings(self.random.choice((100, 5_000))),
            layout=self.random.choice(("layered", "append_only", "append_only")),
            edits=self.random.choice(("full", "changes")),
        )
        return ChangeSettings("talk", settings)

    def _tune(self) -> Any:
        said = [record.id for record in self.state.records]
        if not said:
            return None
        one = frozenset({self.random.choice(said)})
        return self.random.choice((TuneMessages("talk", pin=one), TuneMessages("talk", leave_out=one)))

    def _will_call(self) -> None:
        """Once in a while the model wants to look something up first, where it has tools."""
        if self.state.chat.settings.tools and self.random.random() < 0.6:
            path = self.random.choice(("one.md", "two.md", "none.md"))
            arguments = json.dumps({"path": path, "pattern": "Größe"})
            name = self.random.choice(("read", "grep"))
            self.server.calls.append((ToolCall(f"call{self.number()}", name, arguments),))

    async def ask(self) -> None:
        """Look at what would be sent, then send it: a new question, or an earlier one in other words."""
        self._will_call()
        asked = [r.id for r in self.state.records if isinstance(r.entry, Message) and r.entry.role == "user"]
        text = f"{self.number()} {self.text(12)}"
        dispatch = self.bench.workbench.dispatch
        if asked and self.random.random() < 0.3:
            question = self.random.choice(asked)
            await dispatch(EditInPlace("talk", question, text))
            await self.bench.calm()
            self.shown.append(form_of(None if self.state.editing is None else self.state.editing.view))
            end = await self.bench.do(EditQuestion("talk", question, text))
        else:
            await dispatch(EditDraft("talk", text))
            await self.bench.calm()
            self.shown.append(form_of(self.state.view))
            end = await self.bench.do(SendMessage("talk", text, drafted=True))
        assert end.outcome.state == "complete", end.outcome.failure


def form_of(view: EnvelopeView | None) -> WireForm:
    assert view is not None
    form = view.wire()
    assert form is not None
    return form


def written(form: WireForm) -> bytes:
    return json.dumps(form.body, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize("wire", RECORDED_WIRES, ids=lambda wire: str(wire.name))
@pytest.mark.parametrize("seed", range(CHATS))
def test_what_is_shown_before_sending_is_what_arrives_byte_for_byte(wire: AnyWire, seed: int):
    """A mark that was green over other bytes: nobody had compared a preview with a socket."""

    @in_loop
    async def play() -> None:
        answer = " ".join(["An answer that can be trimmed."] * 20)
        async with RecordingServer(wire, answer) as server:
            models, box = FakeModels(server.model()), FakeToolbox(dict(FILES))
            bench = fake_bench(builder=fake_builder(CARD), models=models, toolbox=box)
            await bench.start()
            chat = Chat(bench, Random(f"{wire.name} {seed}"), server)
            if seed % 2:
                # A log goes on only while nothing else is set.
                edits: Edits = "full" if seed % 4 == 1 else "changes"
                log = replace(SETTINGS, layout="append_only", edits=edits)
                await bench.workbench.dispatch(ChangeSettings("talk", log))
            first: list[bytes] = []
            for _ in range(REQUESTS):
                for _ in range(chat.random.randint(0, 3)):
                    await chat.change()
                before = len(server.bodies)
                await chat.ask()
                first.append(server.bodies[before])
                # The row tells of the last request of its turn: after tools there are several.
                row, last = chat.state.turns[-1], hashlib.sha256(server.bodies[-1]).hexdigest()
                assert (row.shown_digest, row.digest) == (last, last)
                assert chat.shown[-1].digest == hashlib.sha256(server.bodies[before]).hexdigest()
            await bench.workbench.close()
        assert server.calls == []
        assert [written(form) for form in chat.shown] == first
        # What is copied as JSON or as a command is made by another writer.
        assert [json_text(form, COMPACT).text.encode() for form in chat.shown] == first

    play()
