"""Turns on the command line: what is shown, what is allowed, what ends them."""

from __future__ import annotations

import io
import json
import os
import signal
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.cli.ask.test_command import Setup
from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModels, Forever, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_loop
from tests.fakes.pictures import png
from tests.fakes.recording_server import RECORDED_WIRES, AnyWire, RecordingServer
from tests.fakes.secret_texts import GITHUB
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, fake_builder
from workbench.cli.ask.asking import (
    Asking,
    Text,
    key_advice,
    show_request,
    tell_cold,
    tell_cuts,
    ways_out,
)
from workbench.cli.ask.json_lines import stream_line, turn_line
from workbench.domain.answer import (
    Failure,
    Finished,
    FinishReason,
    MarksRemoved,
    Progressed,
    Retrying,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.errors import NotKept
from workbench.domain.message import ToolCall
from workbench.domain.outcome import TurnOutcome
from workbench.domain.parameters import ParameterRules, Parameters
from workbench.domain.settings.app_preferences import Redaction
from workbench.domain.tool import ToolOutcome, ToolPreview
from workbench.domain.usage import Usage
from workbench.engine.events import (
    AnswerGrew,
    ChatShown,
    Event,
    ModelProgressed,
    NoticeGiven,
    RetryScheduled,
    ToolAsked,
    ToolRan,
)
from workbench.engine.intents import AttachPicture, AttachText
from workbench.engine.turn.outcome import error_note
from workbench.ui.inspector.rows.verdict_words import turn_description

Capture = pytest.CaptureFixture[str]


async def with_tools() -> Bench:
    box = FakeToolbox()
    bench = fake_bench(calls(("write", '{"path": "a.txt"}')), words("Done."), toolbox=box)
    settings = replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools))
    await bench.start(settings=settings)
    return bench


@pytest.mark.parametrize(("allow", "ran"), [(True, 1), (False, 0)])
def test_changes_need_a_yes(allow: bool, ran: int, capsys: Capture):
    @in_loop
    async def ask() -> None:
        bench = await with_tools()
        assert await Asking(json=False, allow=allow).all([Text("Write it.")], "talk", bench.workbench) == 0
        box = bench.world.toolbox
        assert isinstance(box, FakeToolbox)
        assert len(box.written) == ran

    ask()
    assert ("refused (no --yes)" in capsys.readouterr().err) != allow


@pytest.mark.parametrize(("path", "warned"), [("/etc/passwd", True), ("a.txt", False)])
def test_a_call_that_names_a_path_outside_the_folder_is_warned_of(path: str, warned: bool, capsys: Capture):
    @in_loop
    async def ask() -> None:
        box = FakeToolbox()
        bench = fake_bench(calls(("write", f'{{"path": "{path}"}}')), words("Done."), toolbox=box)
        await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
        assert await Asking(json=False, allow=False).all([Text("Write it.")], "talk", bench.workbench) == 0

    ask()
    words_told = "workbench: the call names paths outside the workspace folder: /etc/passwd"
    assert (words_told in capsys.readouterr().err) == warned


@pytest.mark.skipif(os.name == "nt", reason="a loop there cannot be told of Ctrl-C")
def test_ctrl_c_stops_the_answer_and_keeps_it(capsys: Capture):
    @in_loop
    async def ask() -> None:
        bench = fake_bench([TextGrew("So far"), Forever()])
        await bench.start()
        press = lambda event, state: (  # noqa: E731
            os.kill(os.getpid(), signal.SIGINT) if isinstance(event, AnswerGrew) else None
        )
        bench.workbench.subscribe(press)
        assert (
            await Asking(json=False, allow=False).all([Text("Well?"), Text("More?")], "talk", bench.workbench)
            == 130
        )
        assert (await bench.world.store.path("talk"))[-1].state == "stopped"

    ask()
    assert capsys.readouterr().out == "So far\n"


def test_what_goes_on_is_told_beside_the_answer(capsys: Capture):
    @in_loop
    async def ask() -> None:
        failure = Failure("server", "It is busy.")
        bench = fake_bench(
            [Progressed("Loading"), Progressed("Loading"), Retrying(1, 0.5, failure), *words("Hi")]
        )
        await bench.start()
        await Asking(json=False, allow=False).all([Text("Well?")], "talk", bench.workbench)

    ask()
    shown = capsys.readouterr()
    assert shown.out == "Hi\n"
    assert shown.err == (
        "workbench: Loading …\nworkbench: attempt 1 failed (It is busy.); trying again in 0.5 s\n[chat talk]\n"
    )


def test_which_requests_the_figures_are_about_is_said(capsys: Capture):
    """In a turn with tools `usage` was of all requests, `report` and `cache` of the last, and nobody could tell."""

    @in_loop
    async def ask() -> None:
        box = FakeToolbox()
        first = [UsageReported(Usage(100, 0, None, 5)), *calls(("read", '{"path": "a.txt"}'))]
        second = [*calls(("read", '{"path": "a.txt"}'))]
        third = [UsageReported(Usage(300, 100, None, 7)), *words("Done.")]
        bench = fake_bench(first, second, third, words("More."), toolbox=box)
        await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
        await Asking(json=True, allow=False).all([Text("Read it."), Text("And?")], "talk", bench.workbench)
        (row, other) = bench.workbench.state.open["talk"].turns
        assert (row.requests, row.cached_tokens, row.last_cached_tokens) == (3, 100, row.reported_tokens)
        assert other.requests == 1

    ask()
    turn, plain = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert turn["rounds"] == {"requests": 3, "usage": [1, 3], "cache": [3], "report": [3]}
    assert (turn["usage"]["prompt_tokens"], turn["report"]["tool_rounds"]) == (400, 2)
    assert plain["rounds"] == {"requests": 1, "usage": [], "cache": [1], "report": [1]}
    assert plain["report"]["tool_rounds"] == 0


def test_marks_that_were_taken_off_an_answer_are_told(capsys: Capture):
    @in_loop
    async def ask() -> None:
        bench = fake_bench([TextGrew("Yes."), MarksRemoved(("</s>",)), Finished("stop")])
        await bench.start()
        await Asking(json=False, allow=False).all([Text("Well?")], "talk", bench.workbench)

    ask()
    told = capsys.readouterr()
    assert told.out == "Yes.\n"
    assert "were taken off the end of its answer: </s>" in told.err


def test_a_pipe_that_closes_stops_the_answer_and_keeps_it(monkeypatch: pytest.MonkeyPatch):
    from workbench.cli.ask import asking as module

    def closed(content: bytes) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(module, "print_bytes", closed)

    @in_loop
    async def ask() -> None:
        bench = fake_bench([TextGrew("So far"), Forever()])
        await bench.start()
        with pytest.raises(BrokenPipeError):
            await Asking(json=False, allow=False).all([Text("Well?")], "talk", bench.workbench)
        assert (await bench.texts())[-1] == ("assistant", "So far", "stopped")

    ask()


def test_an_answer_that_reached_its_limit_is_told_from_a_whole_one(capsys: Capture):
    @in_loop
    async def ask() -> None:
        bench = fake_bench([TextGrew("Half an ans"), Finished("length")])
        await bench.start()
        assert await Asking(json=False, allow=False).all([Text("Well?")], "talk", bench.workbench) == 0

    ask()
    assert "reached its limit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("refusal", "the model refused to answer"),
        ("content_filter", "a content filter of the provider ended"),
    ],
)
def test_an_answer_that_was_withheld_is_told_as_such(reason: FinishReason, told: str, capsys: Capture):
    """A refusal was printed like any other answer, and half a filtered one like a whole one."""

    @in_loop
    async def ask() -> None:
        bench = fake_bench([TextGrew("I cannot"), Finished(reason)])
        await bench.start()
        assert await Asking(json=False, allow=False).all([Text("Well?")], "talk", bench.workbench) == 0

    ask()
    assert told in capsys.readouterr().err


def test_more_cached_than_was_sent_is_not_believed(capsys: Capture):
    """A gateway counted its cache twice, and 180 % of a request came from it."""

    @in_loop
    async def ask() -> None:
        bench = fake_bench(
            [TextGrew("Yes."), UsageReported(Usage(100, 180, completion_tokens=1)), Finished("stop")]
        )
        await bench.start()
        assert await Asking(json=True, allow=False).all([Text("Well?")], "talk", bench.workbench) == 0
        (row,) = bench.workbench.state.open["talk"].turns
        assert (row.cached_tokens, row.verdict) == (None, "distrusted")
        assert "more cached tokens" in turn_description(row)

    ask()
    line = json.loads(capsys.readouterr().out)
    assert (line["usage"]["cached_tokens"], line["usage"]["distrusted_tokens"]) == (None, 180)
    assert line["cache"]["verdict"] == "distrusted"


def test_a_command_that_finds_nothing_is_told_to_who_wrote_it(capsys: Capture):
    @in_loop
    async def ask() -> None:
        bench = fake_bench(words("Hm."), toolbox=FakeToolbox())
        await bench.start()
        await Asking(json=False, allow=False).all([Text("See @read gone.md")], "talk", bench.workbench)

    ask()
    assert "not found for the question" in capsys.readouterr().err


def test_a_tool_does_not_speak_in_the_middle_of_a_line(capsys: Capture):
    @in_loop
    async def ask() -> None:
        bench = await with_tools()
        bench.model.answers = [[TextGrew("Let me."), *calls(("write", '{"path": "a.txt"}'))], words("Done.")]
        await Asking(json=False, allow=True).all([Text("Write it.")], "talk", bench.workbench)

    ask()
    assert capsys.readouterr().out == "Let me.\nDone.\n"


def test_a_picture_that_the_model_cannot_see_is_told_with_what_to_do(capsys: Capture):
    @in_loop
    async def ask() -> None:
        card = replace(WORD_MODEL, images=False)
        bench = fake_bench(words("Yes."), builder=fake_builder(card))
        await bench.start()
        await bench.workbench.dispatch(AttachPicture("talk", png(8, 8)))
        assert await Asking(json=False, allow=False).all([Text("What is it?")], "talk", bench.workbench) == 0

    ask()
    told = "picture not sent: word-1 cannot see. Ask another one with --model, or leave it out"
    assert capsys.readouterr().err.count(told) == 1


@pytest.mark.parametrize(("assumed", "given"), [(True, None), (True, 900), (False, None)])
def test_an_assumed_window_is_told_before_the_answer(assumed: bool, given: int | None, capsys: Capture):
    """32,768 tokens were taken for a fact, and the server refused the request."""

    @in_loop
    async def ask() -> None:
        bench = fake_bench(words("Yes."))
        bench.model.refine = lambda card: replace(card, window_assumed=assumed)
        await bench.start(settings=replace(SETTINGS, context_window=given))
        await Asking(json=False, allow=False).all([Text("Well?")], "talk", bench.workbench)

    ask()
    said = "workbench: window size unknown; assuming " in capsys.readouterr().err
    assert said == (assumed and given is None)


@pytest.mark.parametrize(("limit", "advised"), [(300, True), (None, False)])
def test_after_an_overflow_only_a_window_that_was_named_is_advised(
    limit: int | None, advised: bool, capsys: Capture
):
    """The advice to set context_window=24576 was a guess, and false."""

    @in_loop
    async def ask() -> None:
        bench = fake_bench([Failure("context", "Too long.", limit_tokens=limit)])
        await bench.start()
        await Asking(json=False, allow=False).all([Text("Well?")], "talk", bench.workbench)

    ask()
    said = capsys.readouterr().err
    assert ("it would fit with --set context_window=" in said) == advised
    assert ("did not say how large its window is" in said) != advised


@pytest.mark.parametrize(("mode", "told"), [("warn", 2), ("replace", 2), ("off", 0)])
def test_keys_in_what_is_sent_are_spoken_of_and_never_written(mode: Redaction, told: int, capsys: Capture):
    @in_loop
    async def ask() -> None:
        builder = fake_builder(WORD_MODEL)
        builder.guard.prefer(mode)
        bench = fake_bench(words("So."), words("So."), builder=builder)
        await bench.start()
        await bench.workbench.dispatch(AttachText("talk", f"first\nTOKEN={GITHUB}"))
        asked = [Text(f"Is {GITHUB} old?"), Text("And now?")]
        assert await Asking(json=True, allow=False).all(asked, "talk", bench.workbench) == 0

    ask()
    shown = capsys.readouterr()
    warned = [line for line in shown.err.splitlines() if "GitHub key" in line]
    assert len(warned) == told
    assert GITHUB[4:12] not in shown.err
    first, second = (json.loads(line)["secrets"] for line in shown.out.splitlines())
    if mode == "off":
        assert first == second == []
        return
    assert first == [
        {"kind": "github", "where": "clipboard", "line": 2, "hint": "ghp_…", "replaced": mode == "replace"},
        {"kind": "github", "where": "question", "line": 1, "hint": "ghp_…", "replaced": mode == "replace"},
    ]
    assert GITHUB[4:12] not in json.dumps([first, second])
    assert {one["where"] for one in second} == {"clipboard", "earlier message"}


def test_a_key_that_is_missing_is_told_with_the_command_that_keeps_one(capsys: Capture):
    @in_loop
    async def ask() -> None:
        card = replace(WORD_MODEL, provider="openai")
        missing = Failure("auth", "api.openai.com needs a key, and none is kept for it yet.", keyless=True)
        bench = fake_bench([missing], builder=fake_builder(card))
        await bench.start()
        assert await Asking(json=False, allow=False).all([Text("Well?")], "talk", bench.workbench) == 1

    ask()
    told = capsys.readouterr().err
    assert "needs a key, and none is kept for it yet." in told
    assert "`workbench keys provider openai`, or name an environment variable with --key-env" in told


def test_a_parameter_that_the_model_refuses_is_told_of_and_named_in_the_report(capsys: Capture):
    """Otherwise the provider would refuse the whole question, or pass it over without a word."""

    @in_loop
    async def ask() -> None:
        rules = ParameterRules((("temperature", "it takes none"),))
        bench = fake_bench(words("Yes."), builder=fake_builder(replace(WORD_MODEL, parameters=rules)))
        await bench.start(settings=replace(SETTINGS, parameters=Parameters(temperature=0.5, seed=7)))
        assert await Asking(json=True, allow=False).all([Text("Well?")], "talk", bench.workbench) == 0

    ask()
    shown = capsys.readouterr()
    assert "workbench: temperature is set and not sent: it takes none\n" in shown.err
    report = json.loads(shown.out)["report"]
    assert report["parameters"] == {"seed": 7}
    assert report["parameters_not_sent"] == [{"name": "temperature", "reason": "it takes none"}]


class OneTerminal:
    """Standard output and standard error on one screen, in the order they were written in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.screen = io.BytesIO()
        both = io.TextIOWrapper(self.screen, encoding="utf-8", write_through=True)
        monkeypatch.setattr("sys.stdout", both)
        monkeypatch.setattr("sys.stderr", both)

    @property
    def lines(self) -> list[str]:
        return self.screen.getvalue().decode().splitlines()


CALL = ToolCall("c1", "write", "{}")
MEANWHILE: list[tuple[Event, str]] = [
    (ModelProgressed("talk", "Loading", None), "workbench: Loading …"),
    (RetryScheduled("talk", 1, 0.5, Failure("server", "Busy.")), "workbench: attempt 1 failed (Busy.); "),
    (NoticeGiven("talk", "Look."), "workbench: Look."),
    (ChatShown("talk", {"disk": {"a.md": ("gone", "")}}), "workbench: a.md is gone"),
    (ToolAsked("talk", CALL, ToolPreview("Write a.md")), "refused (no --yes): Write a.md"),
    (ToolRan("talk", CALL, ToolOutcome("Written.")), "write: Written."),
]


@pytest.mark.parametrize(("meanwhile", "line"), MEANWHILE, ids=lambda one: type(one).__name__)
def test_words_for_people_never_stand_on_a_line_of_the_answer(
    meanwhile: Event, line: str, monkeypatch: pytest.MonkeyPatch
):
    """On one terminal a notice was written behind the words that had arrived, and read as the answer's."""

    async def ask() -> None:
        bench = fake_bench([TextGrew("Half"), TextGrew(""), TextGrew(" and half."), *words("")[1:]])
        await bench.start()

        def hear(event: Event, state: object) -> None:
            if isinstance(event, AnswerGrew) and event.text == "Half":
                bench.workbench._states.emit(meanwhile)

        bench.workbench.subscribe(hear)
        await Asking(json=False, allow=False).all([Text("Well?")], "talk", bench.workbench)

    shown = OneTerminal(monkeypatch)
    in_loop(ask)()
    first, told, *rest = shown.lines
    assert (first, told.startswith(line), rest) == ("Half", True, [" and half.", "[chat talk]"])


def test_streamed_every_event_is_a_line_at_once_and_the_turn_is_the_last(capsys: Capture):
    """Whoever reads the lines sees a word when it arrives, not when the turn has ended."""
    at_once: list[str] = []

    @in_loop
    async def ask() -> None:
        box, busy = FakeToolbox(), Failure("server", "Busy.")
        first = [
            Retrying(1, 0.5, busy),
            ThinkingGrew("Hm."),
            TextGrew("I write."),
            *calls(("write", '{"path": "a.txt"}')),
        ]
        bench = fake_bench(first, words("Done."), toolbox=box)
        await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
        told = Asking(json=True, allow=True, stream=True)
        bench.workbench.subscribe(notice_once(bench))
        await told.all([Text("Write it.")], "talk", bench.workbench)

    def notice_once(bench: Bench) -> Callable[[Event, object], None]:
        def hear(event: Event, state: object) -> None:
            if isinstance(event, ToolRan):
                at_once.extend(capsys.readouterr().out.splitlines())
                bench.workbench._states.emit(NoticeGiven("talk", "Look."))

        return hear

    ask()
    before = [json.loads(line) for line in at_once]
    after = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    call = {"id": "c1", "tool": "write", "arguments": '{"path": "a.txt"}'}
    assert before == [
        {
            "event": "retry",
            "attempt": 1,
            "tries": None,
            "wait_s": 0.5,
            "error": error_note(Failure("server", "Busy.")),
        },
        {"event": "thinking", "text": "Hm."},
        {"event": "text", "text": "I write."},
        {
            "event": "tool_asked",
            **call,
            "allowed": True,
            "summary": before[3]["summary"],
            "diff": "",
            "outside": [],
            "reads": False,
        },
    ]
    ran, notice, text, turn = after
    assert (ran["event"], ran["tool"], ran["failed"]) == ("tool_ran", "write", False)
    assert (notice, text) == ({"event": "notice", "text": "Look."}, {"event": "text", "text": "Done."})
    assert (turn["event"], turn["state"], turn["answer"]) == ("turn", "complete", "Done.")


def test_a_key_in_the_result_of_a_tool_is_masked_in_the_stream():
    line = stream_line(ToolRan("talk", CALL, ToolOutcome(f"key = {GITHUB}")), allowed=False)
    assert line is not None
    assert GITHUB[4:12] not in json.dumps(line)


# `workbench ask --dry-run`: shown is what would be sent; nothing is sent and nothing is kept.


def test_the_layers_are_shown_and_nothing_is_sent_or_kept(capsys: Capture):
    setup = Setup(words("One."), **{"a.md": "alpha"})
    assert setup.ask("One?") == 0
    [chat] = setup.access.store._chats
    capsys.readouterr()
    dry = ("--dry-run", "--chat", chat, "--attach", "a.md", "--set", "history.threshold=0.5")
    assert setup.ask("Two?", *dry) == 0
    told = capsys.readouterr().out
    assert (told.startswith("turn 2  not sent"), "a.md" in told) == (True, True)
    assert len(setup.model.requests) == 1
    kept = setup.access.store._chats[chat]
    assert (kept.attached, kept.chat.settings.history.threshold) == ((), SETTINGS.history.threshold)
    assert [message.id for message in kept.records.values()] == ["message1", "message2"]


def test_the_report_is_that_of_the_turn_when_it_is_asked(capsys: Capture):
    setup = Setup(words("One."), words("Two."))
    assert setup.ask("One?") == 0
    [chat] = setup.access.store._chats
    capsys.readouterr()
    assert setup.ask("Two?", "--chat", chat, "--dry-run", "--json") == 0
    shown = json.loads(capsys.readouterr().out.replace("message3", "message4"))
    assert setup.ask("Two?", "--chat", chat, "--json") == 0
    sent = json.loads(capsys.readouterr().out)["report"]
    assert shown == sent


def test_a_request_that_could_not_be_sent_is_said(capsys: Capture):
    setup = Setup()
    setup.access.keys.status()
    assert setup.ask("word " * 2000, "--set", "context_window=100", "--dry-run") == 1
    assert "over the" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [("--payload",), ("More?", "--dry-run")])
def test_wrong_usage_is_told(wrong: tuple[str, ...]):
    assert Setup().ask("Q", *wrong) == 2


@pytest.mark.parametrize("wire", RECORDED_WIRES, ids=lambda wire: type(wire).__name__)
def test_the_payload_is_the_body_that_is_sent(wire: AnyWire, capfdbinary: pytest.CaptureFixture[bytes]):
    bodies: list[bytes] = []

    @in_loop
    async def ask() -> None:
        async with RecordingServer(wire) as server:
            bench = fake_bench(models=FakeModels(server.model()))
            await bench.start()
            for dry in (True, False):
                asking = Asking(False, False, dry=dry, payload=dry)
                assert await asking.all([Text('Größe "of" it?')], "talk", bench.workbench) == 0
            bodies.extend(server.bodies)

    ask()
    [body] = bodies
    told = capfdbinary.readouterr()
    assert told.out.startswith(body + b"\n")
    assert b"POST http://127.0.0.1" in told.err
    assert b"content-type: application/json\n" in told.err


@in_loop
async def test_what_cannot_be_written_is_said():
    bench = fake_bench()
    await bench.start()
    prepared = bench.workbench.state.open["talk"].prepared
    assert prepared is not None
    with pytest.raises(NotKept, match="Nothing was sent"):
        show_request(prepared, None, as_json=False, payload=True)


# What is told of a turn besides its answer.


def test_a_turn_that_never_got_a_request_has_a_line_all_the_same():
    line = turn_line("talk", TurnOutcome("failed", failure=Failure("request", "No.")), None)
    assert line["rounds"] == {"requests": 0, "usage": [], "cache": [], "report": []}
    assert (line["answer"], line["report"], line["error"]) == (
        "",
        None,
        {"kind": "request", "message": "No."},
    )


def test_without_a_request_only_what_always_helps_is_named():
    assert ways_out(None) == "--model NAME with a larger window"
    assert "workbench keys provider ADDRESS" in key_advice(None)


def test_what_of_a_file_was_not_read_is_told(capsys: pytest.CaptureFixture[str]):
    @in_loop
    async def tell() -> None:
        bench = fake_bench()
        await bench.start()
        prepared = bench.workbench.state.open["talk"].prepared
        assert prepared is not None
        part = artifact("/home/b.xlsx", name="b.xlsx", unread=("9 rows left out", "1 sheet left out"))
        inputs = replace(prepared.built.inputs, attached=(artifact("a.md"), part))
        tell_cuts(replace(prepared, built=replace(prepared.built, inputs=inputs)))

    tell()
    assert capsys.readouterr().err == (
        "workbench: not all of b.xlsx was read: 9 rows left out\n"
        "workbench: not all of b.xlsx was read: 1 sheet left out\n"
    )


@pytest.mark.parametrize(
    ("age_s", "cold", "told"),
    [(3660.0, True, True), (None, True, False), (3660.0, False, False)],
)
def test_a_cache_that_is_gone_is_told_with_what_that_costs(
    age_s: float | None, cold: bool, told: bool, capsys: pytest.CaptureFixture[str]
):
    @in_loop
    async def tell() -> None:
        bench = fake_bench()
        await bench.start()
        chat = bench.workbench.state.open["talk"]
        assert chat.prepared is not None
        assert chat.view is not None
        view = replace(chat.view, cold=cold, cached_tokens=0, cost_usd=0.84)
        tell_cold(replace(chat.prepared, age_s=age_s), view)

    tell()
    said = capsys.readouterr().err
    assert said == ("workbench: 61 minutes idle: the cache is gone, $0.8400\n" if told else "")
