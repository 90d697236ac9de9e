"""A model that plays answers from a file, word by word: for demonstrations and tests."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

from workbench.domain.answer import (
    FAILURE_KINDS,
    AnswerPart,
    CallMade,
    Failure,
    FailureKind,
    Finished,
    FinishReason,
    ModelFailed,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.message import ToolCall
from workbench.domain.model import ModelCard
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.request import ModelRequest, WireBody
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.domain.usage import Usage
from workbench.files.reading import NotRegular, user_file
from workbench.ports.models import PromptMeter
from workbench.providers.harness.harness import with_own_ids
from workbench.providers.openai.body import openai_messages
from workbench.providers.wire.body import body_bytes, chat_stretches, digest_of

# Answers written down in a file: plain texts with lines of `---` between them, or a JSON list of steps.

_MOST_BYTES = 4 * 1024 * 1024
_BETWEEN = re.compile(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE)
_STEP_FIELDS = {"text", "thinking", "tool_calls", "usage", "finish", "error", "cut", "delay_ms"}
_FINISH_REASONS: tuple[FinishReason, ...] = get_args(FinishReason)
_CUT = Failure("protocol", tr("The script cut the answer off here. Send again, or go on from here."))


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """One answer; with a failure it ends in that, after its text."""

    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    finish: FinishReason | None = None
    failure: Failure | None = None
    delay_ms: int = 0


def read_script(path: Path) -> tuple[ScriptedAnswer, ...]:
    """Reads all answers of a file; `ModelFailed` says why there are none."""
    text = _content(path)
    if path.suffix.lower() == ".json":
        return _steps(path, text)
    texts = _BETWEEN.split(text)
    if len(texts) > 1 and not texts[-1]:
        texts.pop()  # a line of --- at the end closes the last answer
    # The line end before a line of --- belongs to that line.
    return tuple(ScriptedAnswer(each.removesuffix("\n") if len(texts) > 1 else each) for each in texts)


def _content(path: Path) -> str:
    try:
        with user_file(str(path)) as opened:
            content = opened.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise _unavailable(path, tr("has more than {most_bytes:,} bytes", most_bytes=_MOST_BYTES))
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise _unavailable(path, tr("is not UTF-8 text")) from None
    except FileNotFoundError:
        raise _unavailable(path, tr("does not exist")) from None
    except NotRegular:
        raise _unavailable(path, tr("is not a regular file")) from None
    except (OSError, ValueError) as error:
        raise _unavailable(
            path, tr("cannot be read ({getattr})", getattr=getattr(error, "strerror", None) or tr("bad path"))
        ) from None


def _steps(path: Path, text: str) -> tuple[ScriptedAnswer, ...]:
    try:
        steps = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unusable(path, tr("it is not JSON: {error}", error=error)) from None
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        raise _unusable(path, tr("it must be a list of objects, with at least one"))
    return tuple(_step(path, number, step) for number, step in enumerate(steps, 1))


def _step(path: Path, number: int, step: Mapping[str, Any]) -> ScriptedAnswer:
    unknown = sorted(set(step) - _STEP_FIELDS)
    if unknown:
        raise _unusable(
            path,
            tr("step {number} has {unknown}, which mean nothing", number=number, unknown=", ".join(unknown)),
        )
    finish = step.get("finish")
    if finish is not None and finish not in _FINISH_REASONS:
        raise _unusable(
            path,
            tr(
                "finish in step {number} must be one of {finish_reasons}",
                number=number,
                finish_reasons=", ".join(_FINISH_REASONS),
            ),
        )
    return ScriptedAnswer(
        text=repair_text(text_in(step, "text")),
        thinking=repair_text(text_in(step, "thinking")),
        calls=tuple(_call(path, number, call) for call in tables_in(step, "tool_calls")),
        usage=_usage(table_in(step, "usage")),
        finish=finish,
        failure=_failure(path, number, step),
        delay_ms=count_in(step, "delay_ms") or 0,
    )


def _call(path: Path, number: int, call: Mapping[str, Any]) -> ToolCall:
    name, arguments = text_in(call, "name"), call.get("arguments", {})
    if not name:
        raise _unusable(path, tr("a tool call in step {number} has no name", number=number))
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(text_in(call, "id"), name, written)


def _usage(counts: Mapping[str, Any]) -> Usage | None:
    return Usage(**{each.name: count_in(counts, each.name) for each in fields(Usage)}) if counts else None


def _failure(path: Path, number: int, step: Mapping[str, Any]) -> Failure | None:
    error = table_in(step, "error")
    if not error:
        return _CUT if step.get("cut") is True else None
    kind = error.get("kind")
    if kind not in FAILURE_KINDS:
        raise _unusable(
            path,
            tr(
                "the error's kind in step {number} must be one of {failure_kinds}",
                number=number,
                failure_kinds=", ".join(FAILURE_KINDS),
            ),
        )
    wait = error.get("retry_after_s")
    message = text_in(error, "message") or tr("The script fails here ({kind}). Send again.", kind=kind)
    return Failure(kind, message, float(wait) if isinstance(wait, int | float) else None)


def _unavailable(path: Path, reason: str) -> ModelFailed:
    return _refused(
        "unavailable",
        tr("The script {name} {reason}. Check the path after scripted:.", name=path.name, reason=reason),
    )


def _unusable(path: Path, reason: str) -> ModelFailed:
    return _refused(
        "request",
        tr(
            "The script {name} cannot be used: {reason}. Correct it, and send again.",
            name=path.name,
            reason=reason,
        ),
    )


def _refused(kind: FailureKind, message: str) -> ModelFailed:
    return ModelFailed(Failure(kind, message))


_WORD = re.compile(r"\s*\S+|\s+")


class ScriptedModel:
    """Plays one answer per call, in the order of the file and then from its start → ChatModel.

    The file is read at every call, so that it can be edited while the program runs.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._calls = 0

    async def card(self, known: ModelCard) -> ModelCard:
        """Returns the card unchanged: a file has no window."""
        return known

    def wire(self, request: ModelRequest) -> WireBody:
        """Returns the request in OpenAI's form; nothing is sent."""
        body = {"model": request.model, "messages": openai_messages(request, thoughts=False)}
        content = body_bytes(body)
        places = chat_stretches(request, body)
        return WireBody(body, stretches=places, digest=digest_of(content), size_bytes=len(content))

    async def meter(self) -> PromptMeter | None:
        """None: it does not count."""
        return None

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Checks that the file can be read."""
        await asyncio.to_thread(read_script, self._path)

    async def close(self) -> None:
        """Resets: the next call gets the first answer again."""
        self._calls = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Plays the next answer of the file, word by word."""
        answers = await asyncio.to_thread(read_script, self._path)
        answer = answers[self._calls % len(answers)]
        self._calls += 1
        await asyncio.sleep(answer.delay_ms / 1000)
        for word in _WORD.findall(answer.thinking):
            yield ThinkingGrew(word)
            await asyncio.sleep(0)
        for word in _WORD.findall(answer.text):
            yield TextGrew(word)
            # Whoever reads must be able to stop in between.
            await asyncio.sleep(0)
        for part in self._ending(answer, request):
            yield part

    def _ending(self, answer: ScriptedAnswer, request: ModelRequest) -> list[AnswerPart]:
        if answer.failure is not None:
            raise ModelFailed(answer.failure)
        if not (answer.text or answer.calls or answer.thinking):
            raise ModelFailed(
                Failure(
                    "empty",
                    tr("This answer in {name} is empty. Write something into it.", name=self._path.name),
                )
            )
        ending: list[AnswerPart] = [CallMade(call) for call in with_own_ids(list(answer.calls), request)]
        if answer.usage is not None:
            ending.append(UsageReported(answer.usage))
        return [*ending, Finished(answer.finish or ("tool_calls" if answer.calls else "stop"))]
