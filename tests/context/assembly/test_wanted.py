"""An attachment that somebody wants shorter than it is: as long as that and no longer, in both layouts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from tests.fakes.long_texts import long_code, long_log, long_prose, long_table
from tests.fakes.turns import (
    RENDERERS,
    artifact,
    assistant,
    selection,
    shelved,
    turn_inputs,
    user,
    word_counter,
)
from workbench.context.assemble import Assembly, assemble
from workbench.context.assembly.memory import BuildMemory, Shortener
from workbench.context.assembly.references import copies_in
from workbench.context.compare import compare
from workbench.context.invariants import violations
from workbench.context.shorten.compact import Shortening
from workbench.domain.change import Built
from workbench.domain.files.attachment import Artifact
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings

PROSE = long_prose(4, 600)
LAYERED = ContextSettings(model="word-1", context_window=100_000, reserved_output_tokens=0)
LOG = ContextSettings(model="word-1", context_window=100_000, reserved_output_tokens=0, layout="append_only")


COUNTER = word_counter()


def made(
    chosen: ContextSettings, before: Built | None = None, memory: BuildMemory | None = None, **changes: Any
) -> Built:
    inputs = turn_inputs(chosen, **{"question": user("q"), **changes})
    assembly = Assembly(COUNTER, RENDERERS, memory or BuildMemory())
    built = Built(inputs, assemble(inputs, assembly, before))
    assert violations(built) == ()
    return built


def forms(built: Built, key: str = "a.md") -> list[tuple[str, str, int]]:
    return [
        (layer.name, segment.form, tokens)
        for layer in built.envelope.layers
        for segment, tokens in zip(layer.segments, layer.tokens, strict=True)
        if segment.id == key
    ]


def wanted(tokens: int | None, text: str = PROSE, **changes: Any) -> Artifact:
    return artifact("a.md", text, most_tokens=tokens, **changes)


@pytest.mark.parametrize("chosen", [LAYERED, LOG], ids=["layered", "log"])
def test_it_goes_out_shortened_though_there_is_room_pinned_or_not(chosen: ContextSettings):
    for essential in (True, False):
        built = made(chosen, attached=(wanted(400, essential=essential),))
        ((layer, form, tokens),) = forms(built)
        assert (layer, form) == ("L3_TURN", "compacted")
        assert 360 <= tokens <= 400
        (told,) = built.envelope.cuts.compacted
        assert (told.id, told.to_tokens, told.recover_with) == ("a.md", tokens, "ask for a.md")
        assert built.envelope.cuts.trim.fitted == ()


def test_in_the_library_it_stays_as_long_and_nothing_refers_to_it_as_whole():
    one = wanted(400)
    built = made(LAYERED, attached=(one,), library=(shelved(one, attached=True),))
    ((layer, form, tokens),) = forms(built)
    assert (layer, form, 340 <= tokens <= 420) == ("L2_PREVIOUS", "compacted", True)


def test_no_longer_attached_it_has_the_form_of_the_library():
    shelf = [shelved(one) for one in (wanted(400), wanted(None))]
    short, plain = (made(LAYERED, library=(entry,)) for entry in shelf)
    assert [m.content for m in short.envelope.messages] == [m.content for m in plain.envelope.messages]


def test_what_is_short_or_nowhere_else_or_fits_goes_out_whole():
    for one in (wanted(10, "word " * 900), selection(text=PROSE, most_tokens=10), wanted(10**6)):
        built = made(LAYERED, attached=(one,))
        assert [form for _, form, _ in forms(built, one.key)] == ["full"]


def test_the_budget_may_still_cut_it_further_and_what_it_cut_is_kept():
    tight = ContextSettings(model="word-1", context_window=500, reserved_output_tokens=0)
    first = made(tight, attached=(wanted(1_000),))
    assert forms(first)[0][2] < 400
    assert [one.id for one in first.envelope.cuts.trim.fitted] == ["a.md"]
    less = made(tight, attached=(wanted(150),), trim=first.envelope.cuts.trim)
    assert forms(less)[0][2] <= 150


def later(before: Built, **changes: Any) -> Built:
    """The next request of a log."""
    asked = before.inputs.question
    assert asked is not None
    number = before.inputs.turn
    history = (*before.inputs.history, asked, assistant(f"answer {number}", "short"))
    library = tuple(shelved(one, attached=True) for one in before.inputs.attached)
    given: dict[str, Any] = {"attached": before.inputs.attached, **changes}
    return made(
        before.inputs.settings, history=history, library=library, turn=number + 1, before=before,
        question=user(f"question {number + 1}"), **given,
    )  # fmt: skip


def test_a_log_goes_on_byte_for_byte_with_what_was_sent_short():
    first = made(LOG, attached=(wanted(400),))
    second = later(first)
    assert second.envelope.rebuilt is None
    assert second.envelope.messages[0].content == first.envelope.messages[0].content
    assert [one.id for one in second.envelope.cuts.compacted] == ["a.md"]


def test_something_new_comes_into_a_log_as_short_as_it_is_wanted():
    first = made(LOG)
    second = later(first, attached=(wanted(400),))
    assert second.envelope.rebuilt is None
    ((layer, form, tokens),) = forms(second)
    assert (layer, form, 360 <= tokens <= 400) == ("L3_TURN", "compacted", True)
    assert [one.to_tokens for one in second.envelope.cuts.compacted] == [tokens]


def test_wanted_shorter_than_the_log_has_it_the_log_is_begun_anew():
    first = made(LOG, attached=(wanted(None),))
    second = later(first, attached=(wanted(400),))
    assert (second.envelope.rebuilt, forms(second)[0][1]) == ("asked", "compacted")
    assert second.envelope.total_tokens < first.envelope.total_tokens / 2
    third = later(second)
    assert third.envelope.rebuilt is None


def test_wanted_whole_again_the_whole_is_appended():
    first = made(LOG, attached=(wanted(400),))
    second = later(first, attached=(wanted(None),))
    assert second.envelope.rebuilt is None
    assert [form for _, form, _ in forms(second)] == ["compacted", "full"]
    assert copies_in(second.envelope)["a.md"].whole
    assert "replaces the copy sent in turn 1" in second.envelope.messages[-1].content


def test_another_length_is_told_as_the_cause():
    one, other = (
        made(LAYERED, attached=(kept,), library=(shelved(kept, attached=True),))
        for kept in (wanted(400), wanted(900))
    )
    causes = [(cause.cause, cause.subject) for cause in compare(one, other, COUNTER).causes]
    assert causes[0] == ("resized", "a.md")


def test_a_keystroke_cuts_nothing_anew():
    """The length was found with the first request: nothing is cut for the next."""
    memory = BuildMemory()
    first = made(LAYERED, memory=memory, attached=(wanted(400),))
    known = dict(memory.texts._cut)
    second = made(LAYERED, memory=memory, attached=(wanted(400),), question=user("qu"))
    assert memory.texts._cut == known
    assert forms(first)[0][2] == forms(second)[0][2]


def test_without_a_counter_nothing_is_known_to_be_too_long():
    assert Shortener(BuildMemory(), Shortening(CompactionSettings())).wanted(wanted(10)) is None


_TEXTS = {"a.log": long_log, "a.py": long_code, "a.md": long_prose, "a.csv": long_table}


@settings(max_examples=tries(40), deadline=None)
@given(st.sampled_from(sorted(_TEXTS)), st.integers(0, 999), st.integers(120, 1_500), st.booleans())
def test_every_shape_is_as_long_as_it_is_wanted(name: str, seed: int, tokens: int, log: bool):
    one = artifact(name, _TEXTS[name](seed, 700), most_tokens=tokens)
    built = made(LOG if log else LAYERED, attached=(one,))
    ((_, form, cost),) = forms(built, name)
    whole = made(LAYERED, attached=(artifact(name, one.text),)).envelope.layer("L3_TURN").total_tokens
    if whole <= tokens:
        assert form == "full"
        return
    assert cost <= tokens
    assert cost >= 0.9 * tokens - 12
