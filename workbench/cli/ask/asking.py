"""Turns on the command line: answers streamed or written as JSON, changes allowed or refused, Ctrl-C as Stop."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

from workbench.cli.ask.json_lines import question_line, stream_line, turn_line
from workbench.cli.envelope_table import parameter_lines, print_envelope
from workbench.cli.terminal import print_bytes, print_json, print_text, tell, visible, visible_line
from workbench.context.clean.guard import masked
from workbench.context.clean.secrets import find_secrets
from workbench.context.explain.row_facts import EARLIER, QUESTION, SecretPlace, secret_places
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.envelope import KEPT_SHORT, PICTURE_LEFT_OUT
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.files.attachment import Artifact
from workbench.domain.mcp_question import McpAnswer, McpQuestion, prepared_answer
from workbench.domain.outcome import TurnOutcome
from workbench.domain.provider import KEYED
from workbench.domain.request import WireForm
from workbench.domain.shown.attachment_view import DiskState
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.text import repair_text
from workbench.domain.translation import counted, tr
from workbench.domain.web_search import WebSearch
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.events import (
    AnswerGrew,
    ChatShown,
    EnvelopeBuilt,
    Event,
    ModelProgressed,
    NoticeGiven,
    ProgramShown,
    RebuildProposed,
    RetryScheduled,
    ToolAsked,
    ToolRan,
    TurnBegan,
)
from workbench.engine.intents import AnswerToolRequest, SendMessage
from workbench.engine.program_intents import AllowOverCap
from workbench.engine.workbench import Workbench
from workbench.engine.workspace_intents import AnswerServer

# What is told of a turn besides its answer: what was left out, what helps where it failed.


def ways_out(sent: Prepared | None) -> str:
    """Lists what would make a request that is too long fit: only ways that help this one."""
    ways = []
    if sent is not None:
        inputs, budget = sent.built.inputs, sent.built.envelope.budget
        if inputs.history and inputs.settings.history.when_full != "exchanges":
            ways.append(tr("--set history.when_full=exchanges (the oldest turns leave)"))
        if inputs.history:
            ways.append("`workbench history summarise`")
        if inputs.attached:
            ways.append(tr("fewer files, or shorter ones"))
        if budget.context_window_tokens < inputs.model.context_window_tokens:
            ways.append(
                tr(
                    "--set context_window={context_window_tokens}, which the model has",
                    context_window_tokens=inputs.model.context_window_tokens,
                )
            )
        if budget.reserved_output_tokens:
            ways.append(
                tr(
                    "--set reserved_output_tokens=N below {reserved_output_tokens}",
                    reserved_output_tokens=budget.reserved_output_tokens,
                )
            )
    return ", ".join([*ways, "--model NAME with a larger window"])


def key_advice(sent: Prepared | None) -> str:
    """Says how to give a key on the command line: by the provider's name, or by the address of any other server."""
    provider = "" if sent is None else sent.built.inputs.model.provider
    origin = provider if provider in KEYED else "ADDRESS"
    return tr(
        "keep one with `workbench keys provider {origin}`, or name an environment variable with --key-env",
        origin=origin,
    )


def tell_cold(sent: Prepared | None, view: EnvelopeView) -> None:
    """Warns before it is paid for that the provider's cache of this request is gone, and what the request costs."""
    if sent is None or sent.age_s is None or not view.cold or view.cached_tokens:
        return
    minutes = counted(max(1, round(sent.age_s / 60)), "minute")
    price = "" if not view.cost_usd else f", ${view.cost_usd:.4f}"
    tell(tr("workbench: {minutes} idle: the cache is gone{price}", minutes=minutes, price=price))


def tell_outside(paths: tuple[str, ...]) -> None:
    """Prints which paths outside the workspace a tool call names."""
    if paths:
        named = ", ".join(visible_line(path) for path in paths)
        tell(tr("workbench: the call names paths outside the workspace folder: {named}", named=named))


def tell_cuts(prepared: Prepared) -> None:
    """Prints what was dropped, shortened or changed in this request, and why, so nothing is left out silently."""
    cuts = prepared.built.envelope.cuts
    inputs = prepared.built.inputs
    if inputs.model.window_assumed and inputs.settings.context_window is None:
        tokens = f"{inputs.model.context_window_tokens:,}"
        tell(
            tr(
                "workbench: window size unknown; assuming {tokens} tokens (--set context_window=N)",
                tokens=tokens,
            )
        )
    for unsent in inputs.model.parameters.unsent(inputs.settings.parameters):
        tell(
            tr(
                "workbench: {name} is set and not sent: {reason}",
                name=unsent.name,
                reason=visible_line(unsent.reason),
            )
        )
    for result in prepared.built.inputs.tool_results:
        if isinstance(result, EnvironmentChunk) and not result.success:
            tell(tr("workbench: not found for the question: {body}", body=visible_line(result.body[:160])))
    reasons = dict.fromkeys(repair.reason for repair in cuts.repairs)
    if PICTURE_LEFT_OUT in reasons:
        del reasons[PICTURE_LEFT_OUT]
        model = visible_line(prepared.built.inputs.settings.model)
        tell(
            tr(
                "workbench: picture not sent: {model} cannot see. Ask another one with "
                "--model, or leave it out",
                model=model,
            )
        )
    for reason in reasons:
        tell(tr("workbench: changed before sending: {reason}", reason=visible_line(reason)))
    _tell_unread(inputs.attached)
    for dropped in cuts.pruned:
        tell(
            tr(
                "workbench: left out: {id} ({reason})",
                id=visible_line(dropped.id),
                reason=visible_line(dropped.reason),
            )
        )
    for short in cuts.compacted:
        sizes = tr(
            "{to_tokens:,} of {from_tokens:,} tokens",
            to_tokens=short.to_tokens,
            from_tokens=short.from_tokens,
        )
        held = (
            tr("; {kept_short}, --shorten FILE=0 sends it whole", kept_short=KEPT_SHORT)
            if short.id in cuts.held
            else ""
        )
        tell(
            tr(
                "workbench: shortened: {id} ({sizes}{held})",
                id=visible_line(short.id),
                sizes=sizes,
                held=held,
            )
        )


def _tell_unread(attached: Iterable[Artifact]) -> None:
    for one in attached:
        for what in one.unread:
            tell(
                tr(
                    "workbench: not all of {name_for_model} was read: {what}",
                    name_for_model=visible_line(one.name_for_model),
                    what=visible_line(what),
                )
            )


def refused(outcome: TurnOutcome, built: Prepared) -> TurnOutcome:
    """Rewords the failure for the command line where nothing was sent because attachments would have been dropped."""
    attached = {artifact.key for artifact in built.built.inputs.attached}
    out = {pruned.id for pruned in built.built.envelope.cuts.pruned} & attached
    failure = outcome.failure
    if failure is None or failure.kind != "request" or not out:
        return outcome
    message = tr(
        "{n:,} of {counted} would stay out of the request (listed above). "
        "Nothing was sent or kept. --allow-drop sends it without them; "
        "--priority, --set attachment_budget_tokens=N or a model with a larger "
        "window changes what fits.",
        n=len(out),
        counted=counted(len(attached), "attachment"),
    )
    return replace(outcome, failure=replace(failure, message=message))


# `workbench ask --dry-run`: the request as it would go out, shown instead of sent.


def show_request(prepared: Prepared, view: EnvelopeView | None, *, as_json: bool, payload: bool) -> None:
    """Prints the request of a dry run: its bytes, its report, or its layers as a table.

    With the bytes, standard error shows the address and headers, without a key.
    """
    if payload:
        form = _wire_form(view)
        for line in (
            (f"POST {form.url}", *(f"{name}: {value}" for name, value in form.headers)) if form.url else ()
        ):
            tell(visible_line(line))
        print_bytes(_bytes(form) + b"\n")
    elif as_json:
        print_json(prepared.report)
    else:
        _show_table(prepared)


def _wire_form(view: EnvelopeView | None) -> WireForm:
    """Returns the request as its provider takes it; `NotKept` where it cannot be written."""
    form = None if view is None else view.wire()
    if form is None:
        raise NotKept(tr("This request cannot be written for its provider. Nothing was sent."))
    return form


def _bytes(form: WireForm) -> bytes:
    """Returns the body as it would be sent, byte for byte."""
    written = json.dumps(form.body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return repair_text(written).encode()


def _show_table(prepared: Prepared) -> None:
    built, prefix = prepared.built, prepared.report["prefix"]
    print_text(
        tr("turn {turn}  not sent  {model}", turn=built.inputs.turn, model=visible_line(built.envelope.model))
    )
    print_envelope(built.envelope)
    for line in parameter_lines(built):
        print_text(line)
    print_text(
        tr(
            "prefix: {prefix}, {counted} in common with the request before",
            prefix=prefix["change"],
            counted=counted(prefix["reused_tokens"], "token"),
        )
    )
    if prepared.forecast is not None:
        print_text(
            tr(
                "cache: {counted} expected to be read from it",
                counted=counted(prepared.forecast.predicted_read_tokens, "token"),
            )
        )


_STOPPED = 130
_NOT_AS_IT_IS: Mapping[DiskState, str] = {
    "gone": tr("is gone; its copy is sent"),
    "unreadable": tr("cannot be read any more; its copy is sent"),
}
_WINDOW_UNSAID = tr(
    "the server did not say how large its window is; find that out, and tell it with --set context_window=N"
)

_WITHHELD = {
    "refusal": tr("the model refused to answer; ask in other words, or choose another model with --model"),
    "content_filter": tr(
        "a content filter of the provider ended this answer; ask in other "
        "words, or choose another model with --model"
    ),
}


@dataclass(frozen=True, slots=True)
class Text:
    """One question; only a typed one may run commands such as `@read`, not one piped in."""

    words: str
    typed: bool = True


@dataclass(slots=True)
class Asking:
    """Runs the questions of one `workbench ask`: its options, and how far its output is.

    Attributes:
        sent: the request as it was last sent; view: its rows as the window would show them.
        told: the last progress message, so that none is repeated.
        warned: places of keys and passwords that were already warned about.
        broken: why nothing more can be written to standard output.
        unlike: attached files that were already reported as gone or unreadable.
        stream: whether each event is printed as a JSON line at once, before that of the turn.
        dry: whether requests are shown instead of sent; with `payload` as their bytes.
        prefill: how each answer begins.
        side: whether the questions are no part of the chat. over_cap: whether they may pass the caps on spending.
        search: the search of the web whose pages were attached.
        temporary: whether the chat is only in memory, so that its id is of no use afterwards.
        answers: what servers' questions are answered with, by server. questions: those there were, with the answers.
    """

    json: bool
    allow: bool
    allow_drop: bool = False
    dry: bool = False
    payload: bool = False
    stream: bool = False
    prefill: str = ""
    side: bool = False
    over_cap: bool = False
    temporary: bool = False
    answers: Mapping[str, Any] = field(default_factory=dict)
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)
    search: WebSearch | None = None
    sent: Prepared | None = None
    view: EnvelopeView | None = None
    shown: bool = False
    began: bool = False
    mid_line: bool = False
    told: str = ""
    broken: OSError | None = None
    warned: set[SecretPlace] = field(default_factory=set)
    unlike: set[tuple[str, DiskState]] = field(default_factory=set)

    async def all(self, texts: Sequence[Text], chat: str, workbench: Workbench) -> int:
        """Asks one question after the other, up to the first that fails; returns the exit code."""
        for number, text in enumerate(texts, 1):
            outcome = await self._one(text, chat, workbench)
            if outcome.state != "complete":
                left = len(texts) - number
                if left:
                    tell(
                        tr("workbench: {left} more not asked, because this turn did not complete", left=left)
                    )
                return _STOPPED if outcome.state == "stopped" else 1
        return 0

    async def _one(self, text: Text, chat: str, workbench: Workbench) -> TurnOutcome:
        self.sent, self.shown, self.told, self.began = None, False, "", False
        self.questions.clear()
        forget = workbench.subscribe(lambda event, state: self._take(event, chat, workbench))
        try:
            with _stopping_on_interrupt(lambda: workbench.stop(chat)):
                may_drop = self._may_drop(chat, workbench)
                out = None if may_drop else frozenset[str]()
                send = SendMessage(
                    chat,
                    text.words,
                    commands=text.typed,
                    left_out=out,
                    dry=self.dry,
                    prefill=self.prefill,
                    side=self.side,
                )
                if self.over_cap:
                    await workbench.dispatch(AllowOverCap(chat))
                await workbench.dispatch(send)
                outcome = await workbench.until_ended(chat)
        finally:
            forget()
        assert outcome is not None
        if self.broken is not None:
            raise self.broken
        outcome = outcome if may_drop else self._in_words(outcome)
        if not self.dry or not self._shows(outcome):
            self._tell_end(chat, outcome, workbench)
        return outcome

    def _shows(self, outcome: TurnOutcome) -> bool:
        """Shows the request of a dry run; returns whether there is one that could be sent."""
        if outcome.failure is not None or self.sent is None:
            return False
        show_request(self.sent, self.view, as_json=self.json, payload=self.payload)
        return True

    def _may_drop(self, chat: str, workbench: Workbench) -> bool:
        """Tells whether attachments may be dropped: by `--allow-drop`, or because a budget for them is set."""
        budget = workbench.state.open[chat].chat.settings.attachment_budget_tokens
        return self.allow_drop or budget is not None

    def _in_words(self, outcome: TurnOutcome) -> TurnOutcome:
        return outcome if self.began or self.sent is None else refused(outcome, self.sent)

    def _take(self, event: Event, chat: str, workbench: Workbench) -> None:
        if self.stream:
            self._write(event, lambda: workbench.stop(chat))
        if isinstance(event, ProgramShown):
            for question in event.fields.get("questions", ()):
                self._answer(question, workbench)
        self._hear(event, chat, workbench)

    def _hear(self, event: Event, chat: str, workbench: Workbench) -> None:
        match event:
            case EnvelopeBuilt(_, prepared):
                if self.sent is None:
                    self._end_line()
                    tell_cuts(prepared)
                self._warn(prepared)
                self.sent = prepared
            case ChatShown(_, {"in_flight": view}):
                self.view = view
                tell_cold(self.sent, view)
            case TurnBegan(begun=begun):
                self.began = True
                self._show(begun, lambda: workbench.stop(chat))
            case AnswerGrew(_, text):
                self._show(text, lambda: workbench.stop(chat))
            case ToolAsked(_, call, preview):
                self._say(
                    f"{'allowed' if self.allow else 'refused (no --yes)'}: {visible_line(preview.summary)}"
                )
                tell(visible(preview.diff)) if preview.diff else None
                tell_outside(preview.outside)
                asyncio.get_running_loop().call_soon(self._decide, workbench, chat, call.id)
            case ToolRan(_, call, outcome):
                first = outcome.text.partition("\n")[0]
                # The first line of a file may be a key, and what is told here ends in logs.
                first = masked(first, find_secrets(first))
                self._say(f"{visible_line(call.name)}: {visible_line(first[:100])}")
            case ChatShown(_, {"disk": disk}):
                self._tell_disk(disk)
            case ModelProgressed() | RetryScheduled() | NoticeGiven() | RebuildProposed():
                self._tell(event)
            case _:
                pass

    def _tell_disk(self, disk: Mapping[str, tuple[DiskState, str]]) -> None:
        """Says once of each file that is gone or unreadable that its stored copy is sent."""
        for key, (state, _) in disk.items():
            if state in _NOT_AS_IT_IS and (key, state) not in self.unlike:
                self.unlike.add((key, state))
                self._say(
                    tr(
                        "workbench: {key} {not_as_it_is}",
                        key=visible_line(key),
                        not_as_it_is=_NOT_AS_IT_IS[state],
                    )
                )

    def _warn(self, prepared: Prepared) -> None:
        """Warns once of each key or password in the request, by its place and never by its text."""
        for place in secret_places(prepared.built, prepared.secrets):
            # What was asked a moment ago is an earlier message now.
            asked = place.where == EARLIER and replace(place, where=QUESTION) in self.warned
            if place not in self.warned and not asked:
                self._say(f"workbench: {visible_line(place.sentence)}")
            self.warned.add(place)

    def _decide(self, workbench: Workbench, chat: str, call: str) -> None:
        workbench.decide(AnswerToolRequest(chat, call, self.allow))

    def _answer(self, question: McpQuestion, workbench: Workbench) -> None:
        """Answers a server's question from the file of `--answer`, or declines it; each once."""
        if question.id in self.questions:
            return
        try:
            answer, why = prepared_answer(question, self.answers), tr("no --answer for it")
        except InvalidInput as problem:
            answer, why = McpAnswer("decline"), f"--answer: {problem.path}: {problem.reason}"
        said = {"accept": tr("answered"), "cancel": tr("cancelled")}.get(
            answer.action, tr("declined ({why})", why=why)
        )
        line = question_line(question) | {"action": answer.action}
        self.questions[question.id] = line
        wanted = question.sampling
        sample = "" if wanted is None else tr("may this be sent to {model}?", model=wanted.model)
        words = " ".join(filter(None, (question.message, question.url, sample)))
        names = ", ".join(f"{one.name} ({one.title})" for one in question.fields)
        self._say(
            tr(
                "{said}: {server} asks: {words}{words_2}",
                said=said,
                server=question.server,
                words=visible_line(words),
                words_2=f" [{visible_line(names)}]" if names else "",
            )
        )
        if wanted is not None:
            tell(visible(wanted.text))
        if self.stream and self.broken is None:
            with self._ending(lambda: None):
                print_json({"event": "question", **line})
        intent = AnswerServer(question.id, answer.action, answer.content)
        # Not from within the event, whose listeners must all have heard of it.
        asyncio.get_running_loop().call_soon(workbench.answer_server, intent)

    def _show(self, text: str, stop: Callable[[], None]) -> None:
        if self.json or self.broken is not None or not text:
            return
        with self._ending(stop):
            # What could act on a terminal is written out.
            print_bytes(visible(text).encode("utf-8", "backslashreplace"))
            self.shown, self.mid_line = True, not text.endswith("\n")

    def _write(self, event: Event, stop: Callable[[], None]) -> None:
        line = stream_line(event, allowed=self.allow)
        if line is not None and self.broken is None:
            with self._ending(stop):
                print_json(line)

    @contextmanager
    def _ending(self, stop: Callable[[], None]) -> Iterator[None]:
        """Turns a failed write (closed pipe, full disk) into a stop; what has arrived of the answer is kept."""
        try:
            yield
        except OSError as problem:
            self.broken = problem
            stop()

    def _tell(self, event: ModelProgressed | RetryScheduled | NoticeGiven | RebuildProposed) -> None:
        match event:
            case ModelProgressed(_, what, _):
                line = "" if what == self.told else tr("{what} …", what=what)
                self.told = what
            case RetryScheduled(_, attempt, wait_s, failure, tries):
                which = tr("{attempt} of {tries}", attempt=attempt, tries=tries) if tries else str(attempt)
                line = tr(
                    "attempt {which} failed ({message}); trying again in {wait_s:g} s",
                    which=which,
                    message=failure.message,
                    wait_s=wait_s,
                )
            case NoticeGiven(_, text):
                line = text
            case RebuildProposed(_, prepared, True):
                window = prepared.built.envelope.budget.context_window_tokens
                line = tr("it would fit with --set context_window={window}", window=window)
            case RebuildProposed():
                line = _WINDOW_UNSAID
            case _:
                assert_never(event)
        if line:
            self._say(f"workbench: {visible_line(line)}")

    def _searched(self) -> dict[str, Any]:
        """What was searched for the first question, in its line."""
        search, self.search = self.search, None
        if search is None or self.sent is None:
            return {}
        keys = (artifact.key for artifact in self.sent.built.inputs.attached)
        return {"search": search.note(search.taken(keys))}

    def _tell_end(self, chat: str, outcome: TurnOutcome, workbench: Workbench) -> None:
        if self.json:
            line = turn_line(chat, outcome, self.sent, None if self.view is None else self.view.spread)
            line |= self._searched()
            line |= {"questions": list(self.questions.values())} if self.questions else {}
            line |= {"side": True, "turn": None} if self.side else {}
            line |= {"temporary": True, "chat": None} if self.temporary else {}
            print_json({"event": "turn", **line} if self.stream else line)
        self._end_line()
        if outcome.failure is not None:
            silent = outcome.state == "interrupted" and "kept" not in outcome.failure.message
            kept = tr(" What arrived is kept.") if silent else ""
            tell(
                tr(
                    "workbench: {state}: {message}{kept}",
                    state=outcome.state,
                    message=visible_line(outcome.failure.message),
                    kept=kept,
                )
            )
            if outcome.failure.keyless:
                tell(tr("workbench: {key_advice}", key_advice=key_advice(self.sent)))
            if outcome.failure.kind == "context":
                tell(tr("workbench: what helps: {ways_out}", ways_out=ways_out(self.sent)))
            if outcome.failure.kind == "cap":
                tell(
                    tr(
                        "workbench: what helps: --over-cap sends it this once; `workbench "
                        "settings set` changes a cap"
                    )
                )
        if outcome.finish_reason == "length":
            tell(
                tr(
                    "workbench: the answer reached its limit; --set "
                    "reserved_output_tokens=N allows a longer one"
                )
            )
        if outcome.failure is None and outcome.finish_reason in _WITHHELD:
            tell(tr("workbench: {withheld}", withheld=_WITHHELD[outcome.finish_reason]))
        if outcome.removed_marks:
            marks = visible_line(" ".join(outcome.removed_marks))
            tell(
                tr(
                    "workbench: marks of the model's template were taken off the end of its answer: {marks}",
                    marks=marks,
                )
            )
        if not self.json and self.began:
            what = tr("beside chat {chat}", chat=chat) if self.side else tr("chat {chat}", chat=chat)
            what = tr("temporary chat, not saved") if self.temporary else what
            tell(f"[{what}]" if outcome.state != "stopped" else f"[{what}, stopped]")

    def _say(self, line: str) -> None:
        """Prints a message on standard error while the answer arrives, on a line of its own."""
        self._end_line()
        tell(line)

    def _end_line(self) -> None:
        """Ends the answer's line, so that a message does not appear in the middle of it."""
        if self.mid_line and self.broken is None:
            print_bytes(b"\n")
        self.mid_line = False


@contextmanager
def _stopping_on_interrupt(stop: Any) -> Iterator[None]:
    """Makes Ctrl-C stop the answer instead of the program, keeping what arrived. Windows does not support this."""
    loop = asyncio.get_running_loop()
    in_charge = signal.getsignal(signal.SIGINT)
    with suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGINT, stop)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGINT)
            # Not Python's own, which would break into whatever the loop does next: the one that ends it in order.
            signal.signal(signal.SIGINT, in_charge)
        sys.stdout.flush()
