"""`workbench ask`: one turn a question, streamed or as JSON lines."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO, TextIOWrapper
from typing import Any

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import SETTINGS, FilesInMemory, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from tests.fakes.turns import fake_builder
from workbench.cli.main import run
from workbench.cli.services import WorldOptions
from workbench.domain.answer import Failure, Finished, TextGrew, UsageReported
from workbench.domain.errors import InvalidInput
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.usage import Usage
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.ports.keys import KeyKeeper

Capture = pytest.CaptureFixture[str]


class Setup:
    """A program whose model gives these answers."""

    def __init__(self, *answers: Any, **files: str) -> None:
        self.model = FakeModel(answers or [words("An answer.")])
        self.access = MemoryAccess()
        self.files = FilesInMemory(**files)
        self.wishes: list[WorldOptions] = []
        self.new_id = _ids()
        self.keys: KeyKeeper = self.access.keys
        self.preset = ""
        self.check: Callable[[], None] = lambda: None

    def world(self, store: HistoryStore, wishes: WorldOptions) -> World:
        self.wishes.append(wishes)
        models = FakeModels(self.model)
        return fake_world(store=store, models=models, attachments=self.files, new_id=self.new_id)

    def settings(self, tools: bool) -> ContextSettings:
        return SETTINGS

    def ask(self, *argv: str) -> int:
        parts = parts_with(
            history=lambda: self.access, world=self.world, new_chat_settings=self.settings,
            new_id=lambda: "chat1", keys=lambda: self.keys, new_chat_preset=lambda: self.preset,
            check_catalogue=self.check, models=lambda: FakeModels(self.model),
        )  # fmt: skip
        return run(["ask", *argv], lambda _: parts)


def _ids() -> Callable[[], str]:
    numbers = iter(range(1, 100))
    return lambda: f"message{next(numbers)}"


def lines(capsys: Capture) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_answer_goes_to_standard_output_and_nothing_else(capsys: Capture):
    assert Setup(words("All is well.")).ask("How is it?") == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("All is well.\n", "[chat chat1]\n")


def test_a_json_line_has_the_names_of_the_contract(capsys: Capture):
    usage = UsageReported(Usage(prompt_tokens=9, cached_tokens=0, completion_tokens=2))
    assert Setup([TextGrew("Yes."), usage, Finished("stop")]).ask("Well?", "--json") == 0
    (line,) = lines(capsys)
    assert {key: line[key] for key in ("chat", "turn", "state", "answer", "finish_reason")} == {
        "chat": "chat1", "turn": 1, "state": "complete", "answer": "Yes.", "finish_reason": "stop",
    }  # fmt: skip
    assert line["usage"] == {
        "prompt_tokens": 9, "cached_tokens": 0, "cache_write_tokens": None, "completion_tokens": 2,
        "reasoning_tokens": None, "distrusted_tokens": None,
    }  # fmt: skip
    assert set(line["timings_ms"]) == {"build", "first_token", "total"}
    assert line["report"]["total_tokens"] > 0
    assert "error" not in line


def test_each_text_is_a_turn_of_one_chat(capsys: Capture):
    assert Setup().ask("One?", "Two?", "--json") == 0
    assert [(line["chat"], line["turn"]) for line in lines(capsys)] == [("chat1", 1), ("chat1", 2)]


def test_a_failed_turn_is_the_last_and_says_why(capsys: Capture):
    limit = Failure("rate", "Too many requests.", retry_after_s=30)
    assert Setup([limit]).ask("One?", "Two?", "--json") == 1
    shown = capsys.readouterr()
    (line,) = [json.loads(text) for text in shown.out.splitlines()]
    assert (line["state"], line["answer"]) == ("failed", "")
    assert line["error"] == {"kind": "rate", "message": "Too many requests.", "retry_after_s": 30}
    assert "1 more not asked" in shown.err


def test_an_interrupted_answer_is_shown_and_kept(capsys: Capture):
    setup = Setup([TextGrew("Half"), Failure("network", "Cut off.")])
    assert setup.ask("Well?") == 1
    shown = capsys.readouterr()
    assert shown.out == "Half\n"
    assert shown.err == "workbench: interrupted: Cut off. What arrived is kept.\n[chat chat1]\n"


def test_a_chat_goes_on(capsys: Capture):
    setup = Setup()
    setup.ask("One?")
    assert setup.ask("Two?", "--chat", "cha", "--json") == 0
    assert [m.text for m in setup.model.requests[1].messages] == ["Be kind.", "One?", "An answer.", "Two?"]


def test_files_are_attached_with_their_priority():
    setup = Setup(**{"a.md": "alpha", "b.md": "beta"})
    assert setup.ask("Well?", "--attach", "a.md", "--attach", "b.md", "--priority", "b.md=9") == 0
    question = setup.model.requests[0].messages[-1].text
    assert "alpha" in question
    assert "beta" in question


def test_an_attachment_is_sent_no_longer_than_it_is_wanted(capsys: Capture):
    text = "".join(f"line-{number}-of-a-file-with-one-very-long-word-a-line\n" for number in range(200))
    setup = Setup(**{"a.log": text})
    assert setup.ask("Well?", "--attach", "a.log", "--shorten", "a.log=120") == 0
    short = setup.model.requests[0].messages[-1].text
    assert "line-0-of" in short
    assert "line-100-of" not in short
    assert "shortened: a.log" in capsys.readouterr().err
    assert setup.ask("And now?", "--chat", "cha", "--shorten", "a.log=0") == 0
    assert any("line-100-of" in message.text for message in setup.model.requests[1].messages)


def test_an_attachment_is_sent_by_relevance_until_it_is_wanted_whole_again(capsys: Capture):
    filler = "It has many words about nothing in particular. " * 12
    text = "\n".join(f"# Part {n}\nThis one is about subject{n}. {filler}" for n in range(20))
    setup = Setup(**{"a.md": text.replace("subject7.", "subject7: the spare key lies under the stone.")})
    assert setup.ask("Where is the spare key?", "--attach", "a.md", "--by-relevance", "a.md") == 0
    sent = setup.model.requests[0].messages[-1].text
    assert "an outline of" in sent
    assert "the spare key lies under the stone" in sent
    assert "about subject8. It has" not in sent
    assert setup.ask("And now?", "--chat", "cha", "--shorten", "a.md=0") == 0
    assert any("about subject8. It has" in message.text for message in setup.model.requests[1].messages)
    assert setup.ask("Q", "--by-relevance", "b.md") == 2
    assert "b.md is not attached" in capsys.readouterr().err


def test_settings_and_waiting_times_can_be_set(capsys: Capture):
    setup = Setup()
    given = ("--set", "system_prompt=Be brief.", "--set", "timeouts.idle_s=5", "--model", "other-1")
    assert setup.ask("Well?", *given) == 0
    assert setup.model.requests[0].messages[0].text == "Be brief."
    assert setup.model.requests[0].model == "other-1"
    assert setup.wishes[0].waits == {"idle_s": 5}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (("",), "a question without words"),
        (("Q", "--set", "nonsense=1"), "unknown setting"),
        (("Q", "--set", "timeouts.idle_s=soon"), "expected a number of seconds"),
        (("Q", "--set", "timeouts.never=1"), "unknown setting"),
        (("Q", "--priority", "a.md"), "expected PATH=N"),
        (("Q", "--priority", "a.md=11"), "expected an integer 0..10"),
        (("Q", "--chat", "c", "--preset", "p"), "a preset is for a new chat"),
        (("Q", "--save-preset", " "), "expected a name"),
    ],
)
def test_wrong_usage_is_said_in_one_line_and_makes_no_store(
    given: tuple[str, ...], complaint: str, capsys: Capture
):
    setup = Setup()
    assert setup.ask(*given) == 2
    shown = capsys.readouterr()
    assert complaint in shown.err
    assert (shown.out, shown.err.count("\n"), setup.model.requests) == ("", 1, [])
    assert setup.access.opened == []


def test_a_catalogue_that_cannot_be_used_is_wrong_usage_and_makes_no_store(capsys: Capture):
    def complain() -> None:
        raise InvalidInput("models.toml: family[0].models", "expected a list, got None")

    setup = Setup()
    setup.check = complain
    assert setup.ask("Well?") == 2
    assert capsys.readouterr().err == (
        "workbench ask: models.toml: family[0].models: expected a list, got None\n"
    )
    assert setup.access.opened == []


@pytest.mark.parametrize("given", [("Q", "--attach", "gone.md"), ("Q", "--priority", "gone.md=3")])
def test_what_cannot_be_attached_is_said_and_nothing_is_asked(given: tuple[str, ...], capsys: Capture):
    setup = Setup()
    assert setup.ask(*given) in (1, 2)
    assert "gone.md" in capsys.readouterr().err
    assert setup.model.requests == []


def test_a_file_that_vanishes_in_the_last_moment_is_said_and_nothing_is_asked(capsys: Capture):
    """A window names what it could not attach and goes on; who asks in a script must not get half an answer."""

    class Vanishing(FilesInMemory):
        async def check(self, path: str) -> None:
            await super().check(path)
            if path == "b.md":
                del self.files[path]

    setup = Setup()
    setup.files = Vanishing(**{"a.md": "alpha", "b.md": "beta"})
    assert setup.ask("Q", "--attach", "a.md", "--attach", "b.md") == 1
    assert "b.md: there is no such file. Check the path." in capsys.readouterr().err
    assert setup.model.requests == []


def test_a_question_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO("Grüß dich?\n".encode())))
    setup = Setup()
    assert setup.ask("-") == 0
    assert setup.model.requests[0].messages[-1].text == "Grüß dich?"


def test_foreign_text_cannot_act_on_the_terminal(capsys: Capture):
    Setup([TextGrew("red \x1b[31m end"), Finished("stop")]).ask("Well?")
    assert capsys.readouterr().out == "red \\u001b[31m end\n"


def test_the_settings_of_the_tests_are_small():
    assert replace(SETTINGS, system_prompt="") != SETTINGS


def test_a_name_that_says_nothing_makes_no_store(capsys: Capture):
    setup = Setup()
    assert setup.ask("Q", "--model", "nonsense:") == 2
    assert "names no model" in capsys.readouterr().err
    assert setup.access.opened == []


def test_what_was_never_asked_leaves_no_chat(capsys: Capture):
    setup = Setup(**{"a.md": "alpha"})
    assert setup.ask("word " * 2000, "--set", "context_window=100") == 1
    told = capsys.readouterr().err
    assert "over the" in told
    # Nothing was said before, so no old turn can leave; the model has a larger window.
    assert ("when_full" in told, "--set context_window=1000, which the model has" in told) == (False, True)
    assert setup.ask("Q", "--attach", "gone.md") != 0
    shown = [kept.chat for kept in setup.access.store._chats.values() if kept.chat.deleted_utc is None]
    assert shown == []


def test_a_persona_of_ones_own_stays_when_a_chat_goes_on():
    setup = Setup()
    setup.ask("One?", "--set", "persona.default=You are Bob.")
    setup.ask("Two?", "--chat", "chat1")
    assert setup.model.requests[1].messages[0].text.startswith("You are Bob.")


def test_what_is_cut_for_a_request_is_said(capsys: Capture):
    setup = Setup(**{"big.md": "word " * 400})
    assert setup.ask("Q", "--attach", "big.md", "--set", "attachment_budget_tokens=50") == 0
    assert "big.md" in capsys.readouterr().err


def test_without_a_forecast_the_cache_says_what_was_reported(capsys: Capture):
    usage = UsageReported(Usage(prompt_tokens=9, cached_tokens=4, completion_tokens=2))
    Setup([TextGrew("Yes."), usage, Finished("stop")]).ask("Well?", "--json")
    assert lines(capsys)[0]["cache"] == {
        "predicted_read_tokens": None, "reported_read_tokens": 4, "verdict": None,
    }  # fmt: skip


def test_text_from_elsewhere_runs_no_commands(monkeypatch: pytest.MonkeyPatch):
    """A mail that says @read would otherwise choose which files go out with it."""
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"See @read a.md\n")))
    setup = Setup(**{"a.md": "alpha"})
    assert setup.ask("-") == 0
    assert setup.model.requests[0].messages[-1].text == "See @read a.md"


def two_that_do_not_fit() -> Setup:
    return Setup(words("One."), words("Two."), a="a " * 600, b="b " * 600)


BOTH = ("Well?", "And?", "--attach", "a", "--attach", "b")


def test_nothing_is_sent_where_an_attachment_would_stay_out(capsys: Capture):
    """A question about two files was asked about one of them, and ended with 0."""
    setup = two_that_do_not_fit()
    assert setup.ask(*BOTH, "--json") == 1
    shown = capsys.readouterr()
    (line,) = map(json.loads, shown.out.splitlines())
    assert (line["state"], line["answer"], line["error"]["kind"]) == ("failed", "", "request")
    assert "1 of 2 attachments would stay out of the request" in shown.err
    assert "workbench: left out: " in shown.err
    assert "--allow-drop" in line["error"]["message"]
    assert setup.model.requests == []
    assert asyncio.run(setup.access.store.chats()) == ()


@pytest.mark.parametrize("allowed", [("--allow-drop",), ("--set", "attachment_budget_tokens=900")])
def test_what_may_stay_out_is_listed_and_the_rest_is_sent(allowed: tuple[str, ...], capsys: Capture):
    setup = two_that_do_not_fit()
    assert setup.ask(*BOTH, *allowed) == 0
    shown = capsys.readouterr()
    assert shown.out == "One.\nTwo.\n"
    assert shown.err.count("workbench: left out: ") == 2


def test_that_everything_fits_needs_no_word(capsys: Capture):
    setup = Setup(a="a " * 100, b="b " * 100)
    assert setup.ask(*BOTH[:1], *BOTH[2:]) == 0
    assert "left out" not in capsys.readouterr().err


def test_a_count_says_whether_it_is_exact_and_a_server_that_cuts_off_is_an_alarm(capsys: Capture):
    long = " ".join(["word"] * 600)
    usage = UsageReported(Usage(prompt_tokens=300, completion_tokens=2))
    assert Setup([TextGrew("Yes."), usage, Finished("stop")]).ask(long, "--json") == 0
    shown = capsys.readouterr()
    line = json.loads(shown.out)
    tokens = line["report"]["total_tokens"]
    assert line["count"] == {"tokens": tokens, "basis": "exact", "spread": None}
    assert line["truncated"] == {"counted_tokens": tokens, "read_tokens": 300}
    assert f"workbench: The server read only 300 of about {tokens} tokens" in shown.err
    assert "num_ctx" in shown.err
    assert Setup().ask("Well?", "--json") == 0
    (usual,) = lines(capsys)
    assert "truncated" not in usual


def test_an_estimated_count_says_how_far_it_may_be_off(capsys: Capture):
    long = " ".join(["word"] * 600)
    told = [
        [TextGrew("Yes."), UsageReported(Usage(n, None, None, 2)), Finished("stop")]
        for n in (730, 1_460, 2_190, 9)
    ]
    setup = Setup(*told)
    setup.world = lambda store, wishes: fake_world(  # type: ignore[method-assign]
        store=store, models=FakeModels(setup.model), new_id=setup.new_id,
        builder=fake_builder(replace(WORD_MODEL, exact=False, context_window_tokens=40_000)),
    )  # fmt: skip
    assert setup.ask(long, long, long, "--json") == 0
    assert [line["count"]["spread"] for line in lines(capsys)] == [None, None, None]
    assert setup.ask(long, "--chat", "chat1", "--json") == 0
    (line,) = lines(capsys)
    assert line["count"]["basis"] == "estimated"
    assert 0 <= line["count"]["spread"] < 0.05
    assert line["count"]["tokens"] == line["report"]["total_tokens"] > 1.15 * 4 * 600


@pytest.mark.parametrize(("when_full", "named"), [("placeholders", True), ("exchanges", False)])
def test_a_chat_that_is_full_is_told_of_the_setting_that_would_help(
    when_full: str, named: bool, capsys: Capture
):
    setup = Setup([TextGrew("Yes."), Finished("stop")])
    full = ("--set", f"history.when_full={when_full}", "--set", "context_window=100")
    assert setup.ask("One?", *full) == 0
    [chat] = setup.access.store._chats
    assert setup.ask("word " * 2000, "--chat", chat, *full) == 1
    told = capsys.readouterr().err
    assert ("--set history.when_full=exchanges" in told, "history summarise" in told) == (named, True)


def test_bytes_that_are_no_text_are_refused_with_their_place(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
):
    """They went out as replacement characters without a word."""
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"What is \xff this?")))
    setup = Setup()
    assert setup.ask("-") == 2
    assert "not UTF-8 at byte 8 (0xff)" in capsys.readouterr().err
    assert setup.access.opened == []


def test_streamed_the_text_comes_before_the_line_of_its_turn(capsys: Capture):
    setup = Setup(words("One two."))
    assert setup.ask("Well?", "--stream") == 0
    *events, turn = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert "".join(one["text"] for one in events if one["event"] == "text") == "One two."
    assert (turn["event"], turn["answer"], turn["turn"]) == ("turn", "One two.", 1)
