"""A long talk with the built-in model: files come, go and are edited, another chat asks between, one answer is stopped,
the model's process is killed once; what is shown before each question is kept beside what the server reports."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.chat_model import FakeModels
from tests.fakes.processes import until
from tests.fakes.served_talk import ServedTalk, Turn
from workbench.domain.message import Message
from workbench.engine.events import AnswerGrew
from workbench.engine.intents import (
    AttachFiles,
    DetachArtifacts,
    EditInPlace,
    EditQuestion,
    RefreshArtifacts,
    RegenerateAnswer,
    SendMessage,
)
from workbench.engine.tuning_intents import AttachedChange, TuneAttached, TuneMessages
from workbench.providers.builtin.model import BuiltinModel

WEEK = (
    "attach", "ask", "edit", "aside", "pin", "detach", "stop", "attach back", "again", "other words", "restart",
    "edit", "aside", "aside", "attach", "pin file", "edit", "detach", "ask", "edit",
)  # fmt: skip
"""What is done before each question, over and over."""


@dataclass(frozen=True, slots=True)
class Day:
    """One question of the talk: what was done before it, and what became of it."""

    done: str
    turn: Turn

    @property
    def shown_was_true(self) -> bool:
        """Whether what was shown, foretold and judged is what the server reported."""
        turn = self.turn
        told = turn.shown if self.done != "again" else turn.foretold  # nothing is shown before a second try
        agreed = told == turn.foretold == turn.cached and turn.verdict == "as_predicted"
        return agreed and turn.sure and turn.counted == turn.prompt


@dataclass
class RestlessDays:
    """The talk; `wrong` are its days with a forecast that did not come true."""

    model: BuiltinModel
    layout: str = "auto"
    seed: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    days: list[Day] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.talk = ServedTalk(
            "builtin", layout=self.layout, seed=self.seed, answer_tokens=6, file_words=4,
            models=FakeModels(self.model),
        )  # fmt: skip

    @property
    def wrong(self) -> list[Day]:
        """Where something else was shown than came true."""
        return [day for day in self.days if not day.shown_was_true]

    async def begin(self) -> None:
        """Open both chats; the model's process does not run yet."""
        await self.talk.start("talk", **self.settings)
        await self.talk.start("aside", **self.settings)

    async def live(self, days: int) -> None:
        """So many questions."""
        for number in range(len(self.days), len(self.days) + days):
            done = WEEK[number % len(WEEK)]
            await self._before(done, number)
            self.days.append(Day(done, await self._ask(done, number)))

    async def _before(self, done: str, number: int) -> None:
        dispatch, files = self.talk.bench.workbench.dispatch, self.talk.files.files
        attached = [one.key for one in self.talk.bench.workbench.state.open["talk"].conversation.attached]
        match done:
            case "attach" | "attach back":
                gone = [path for path in files if path not in attached]
                path = gone[0] if done == "attach back" and gone else f"note{number}.txt"
                files.setdefault(path, self.talk.text(self.talk.file_words))
                await dispatch(AttachFiles("talk", (path,)))
            case "edit":
                path = attached[number % len(attached)]
                files[path] = files[path][:-4] + self.talk.text(2)
                await dispatch(RefreshArtifacts("talk", (path,)))
            case "detach":
                await dispatch(DetachArtifacts("talk", (attached[0],)))
            case "pin":
                await dispatch(TuneMessages("talk", pin=frozenset({await self._question()})))
            case "pin file":
                await dispatch(TuneAttached("talk", (AttachedChange(attached[-1], pinned=True),)))
            case "restart":
                await self._kill()

    async def _ask(self, done: str, number: int) -> Turn:
        talk, text = self.talk, f"Question {number}: {self.talk.text(2)}"
        match done:
            case "aside":
                return await talk.turn(text, "aside", typed=True)
            case "again":
                return await talk.ask(RegenerateAnswer("talk", await self._question()))
            case "stop":
                return await self._stopped(text)
            case "other words":
                question = await self._question()
                await talk.bench.workbench.dispatch(EditInPlace("talk", question, text))
                await talk.bench.calm()
                view = talk.bench.workbench.state.open["talk"].edits[question].view
                shown = None if view is None else view.cached_tokens
                return await talk.ask(EditQuestion("talk", question, text), shown)
            case _:
                return await talk.turn(text, typed=True)

    async def _stopped(self, text: str) -> Turn:
        """A question whose answer is stopped after its first word."""
        talk, bench = self.talk, self.talk.bench
        shown = await talk.look(text)
        before = len(bench.told(AnswerGrew))
        leave = bench.workbench.subscribe(
            lambda event, state: (
                bench.workbench.stop("talk")
                if isinstance(event, AnswerGrew) and len(bench.told(AnswerGrew)) >= before + 1
                else None
            )
        )
        try:
            return await talk.ask(SendMessage("talk", text, drafted=True), shown)
        finally:
            leave()

    async def _kill(self) -> None:
        server = self.model.server
        assert server is not None
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        assert await until(lambda: server.running is None)

    async def _question(self) -> str:
        """The newest question of the branch in view."""
        path = await self.talk.bench.world.store.path("talk")
        return [r.id for r in path if isinstance(r.entry, Message) and r.entry.role == "user"][-1]
