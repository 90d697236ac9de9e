"""Values go to JSON and come back as they were; long text may stay aside; wrong shapes are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.turns import artifact, assistant, shelved, turn_inputs, user
from workbench.domain.chunk import EnvironmentChunk, OutputChunk, SystemChunk
from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput
from workbench.domain.message import Entry, Image, Message
from workbench.domain.settings.context_settings import ContextSettings, FilterSettings, HistorySettings
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning, TurnInputs


class Aside:
    """Long texts, called by their number."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def keep(self, text: str) -> str:
        self.kept.append(text)
        return str(len(self.kept) - 1)

    def find(self, name: str) -> str:
        return self.kept[int(name)]


def through_json(value: object, aside: Aside | None = None) -> Any:
    return json.loads(json.dumps(encode(value, aside.keep if aside else None)))


WHOLE = turn_inputs(
    ContextSettings(
        model="word-1",
        tools=(ToolDefinition("read", "d" * 80, json.dumps({"d": "x" * 90})),),
        filters=FilterSettings(include_kinds=frozenset({"agent"}), exclude_kinds=frozenset({"b", "a"})),
        history=HistorySettings(threshold=None, headroom=1),
    ),
    history=(
        user("u1", "long " * 30),
        assistant("a1", "", "c1"),
        Message("t1", "tool", ("a", "b"), (Image("d" * 64, 3), Image("e")), tool_call_id="c1"),
        EnvironmentChunk("e1", "body", "tool_result", success=False, error="x", custom=(("a", "b"),)),
        OutputChunk("o1", "", "task_completed"),
    ),
    attached=(artifact("a.md", "text " * 40),),
    library=(shelved(artifact("b.md"), artifact("b.md", "newer"), attached=True),),
    question=user("q"),
    tuning=Tuning(frozenset({"u1"}), frozenset({"a1", "t1"})),
)


@pytest.mark.parametrize("aside", [None, Aside()], ids=["inline", "aside"])
def test_a_value_comes_back_as_it_was(aside: Aside | None):
    back = decode(TurnInputs, through_json(WHOLE, aside), aside.find if aside else None)
    assert back == WHOLE


def test_only_long_text_is_kept_aside():
    aside = Aside()
    assert through_json(user("u", "x" * 64), aside)["texts"] == ["x" * 64]
    assert through_json(user("u", "x" * 65), aside)["texts"] == [{"§": "0"}]
    assert aside.kept == ["x" * 65]


def test_sets_of_long_names_have_an_order():
    """Ids of unnamed files are 73 characters long; what is kept aside cannot be compared."""
    tuning = Tuning(excluded=frozenset("unparsed:" + letter * 64 for letter in "cab"))
    aside = Aside()
    document = through_json(tuning, aside)
    assert aside.kept == sorted(tuning.excluded)
    assert decode(Tuning, document, aside.find) == tuning


def test_a_set_is_written_in_one_order():
    assert encode(frozenset("cab")) == ["a", "b", "c"]


@given(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.floats(0, 1)))
def test_free_values_stay_as_they_are(value: dict[str, Any]):
    assert decode(object, through_json(value)) == value


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_survives(text: str):
    said = SystemChunk("s", text)
    back: Entry = decode(Entry, encode(said))  # type: ignore[arg-type]
    assert back == said


@pytest.mark.parametrize(
    ("kind", "document", "path", "reason"),
    [
        (Message, [], "", "expected a Message"),
        (Message, {"id": "m"}, "", "a Message is incomplete"),
        (Message, {"id": 1, "role": "user"}, "id", "expected a value of type str"),
        (Message, {"id": "m", "role": "king"}, "role", "expected one of"),
        (Message, {"id": "m", "role": ["user"]}, "role", "expected one of"),
        (Message, {"id": "m", "role": "user", "texts": "t"}, "texts", "expected a list"),
        (Message, {"id": "m", "role": "user", "texts": [{"§": "0"}]}, "texts[0]", "type str"),
        (Message, {"id": "m", "role": "user", "images": [{"digest": "d", "tokens": True}]}, "images[0].tokens",
         "expected an integer"),
        (HistorySettings, {"headroom": "1"}, "headroom", "expected a number"),
        (SystemChunk, {"id": "s", "body": "", "custom": [["a"]]}, "custom[0]", "expected 2 items"),
        (Entry, {"type": "Chat"}, "", "none of the types"),
        (dict[str, int], [], "", "expected an object"),
        (dict[str, int], {"a": "1"}, "a", "expected an integer"),
    ],
)  # fmt: skip
def test_another_shape_is_refused_with_its_place(kind: Any, document: Any, path: str, reason: str):
    with pytest.raises(InvalidInput) as refusal:
        decode(kind, document)
    assert refusal.value.path == path
    assert reason in refusal.value.reason


def test_fields_of_a_newer_program_are_left_out():
    assert decode(Image, {"type": "Image", "digest": "d", "colour": "red"}) == Image("d")


def test_what_has_no_form_in_json_is_refused():
    with pytest.raises(TypeError, match="bytes"):
        encode(b"")


def test_a_misfit_is_told_with_its_place():
    written = json.loads(json.dumps(encode(turn_inputs())))
    assert decode(TurnInputs, written) == turn_inputs()
    kinds = tuple[int | str | None, ...]
    assert decode(kinds, [1, None]) == (1, None)
    with pytest.raises(InvalidInput, match=r"history\[0\]"):
        decode(TurnInputs, {**written, "history": [{"type": "NoSuchEntry"}]})
