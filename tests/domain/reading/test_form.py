"""From the declaration of a value follow its names, what is read, what is refused and how it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.constraints import (
    Above,
    AsJson,
    Between,
    Called,
    Count,
    Inline,
    Name,
    OneOf,
    Sound,
    Unique,
)
from workbench.domain.reading.form import form_of
from workbench.domain.reading.node import Node, WrongValue


@dataclass(frozen=True, slots=True)
class Wheel:
    name: Name
    inches: Annotated[int, Between(10, 30)] = 20
    note: Annotated[str, Called("remark"), AsJson()] = "{}"


@dataclass(frozen=True, slots=True)
class Lights:
    front: bool = True
    colours: frozenset[Annotated[str, OneOf(("red", "white"))]] | None = None


@dataclass(frozen=True, slots=True)
class Seat:
    height: Annotated[float, Above(0, 2)] | None = 1.0
    kind: Literal["hard", "soft"] = "soft"


@dataclass(frozen=True, slots=True)
class Bicycle:
    owner: str = ""
    lock: Annotated[str, Sound(lambda text: "" if text.islower() else "write it small")] = "none"
    gears: Count | None = None
    seat: Seat = field(default_factory=Seat)
    wheels: Annotated[tuple[Wheel, ...], Unique("name")] = ()
    prices: Mapping[Name, Annotated[int, Between(0)]] = field(default_factory=dict)
    anything: Mapping[str, Any] = field(default_factory=dict)
    lights: Annotated[Lights, Inline()] = field(default_factory=Lights)


FORM = form_of(Bicycle)
WRITTEN = {
    "owner": "me",
    "lock": "ring",
    "gears": 3,
    "seat": {"height": None, "kind": "hard"},
    "wheels": [
        {"name": "front", "inches": 26, "remark": {"a": [1]}},
        {"name": "back", "inches": 20, "remark": {}},
    ],
    "prices": {"bell": 5},
    "anything": {"x": [1, {"y": None}]},
    "front": False,
    "colours": ["red", "white"],
}
VALUE = Bicycle(
    owner="me",
    lock="ring",
    gears=3,
    seat=Seat(None, "hard"),
    wheels=(Wheel("front", 26, '{"a":[1]}'), Wheel("back")),
    prices={"bell": 5},
    anything={"x": [1, {"y": None}]},
    lights=Lights(False, frozenset({"white", "red"})),
)


def refusal(**given: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        FORM.read(Node(given, "bicycle"))
    return str(caught.value)


def test_reading_and_writing_are_each_others_opposite():
    assert FORM.read(Node(WRITTEN)) == VALUE
    assert FORM.write(VALUE) == WRITTEN
    assert list(FORM.write(VALUE)) == list(WRITTEN)


def test_what_is_left_out_has_its_default_or_what_was_in_effect():
    assert FORM.read(Node({})) == Bicycle()
    changed = FORM.read(Node({"seat": {"kind": "soft"}, "front": True}), VALUE)
    assert (changed.seat, changed.owner) == (Seat(None, "soft"), "me")
    assert changed.lights == Lights(True, frozenset({"white", "red"}))


def test_the_names_are_those_of_the_document():
    assert FORM.names == (
        "owner", "lock", "gears", "seat", "wheels", "prices", "anything", "front", "colours",
    )  # fmt: skip
    places = dict(FORM.places())
    assert [place for place in places if len(place) > 1] == [("seat", "height"), ("seat", "kind")]
    assert {place for place, kind in places.items() if kind.may_be_none} == {
        ("gears",),
        ("seat", "height"),
        ("colours",),
    }
    assert {place for place, kind in places.items() if kind.is_text} == {("owner",), ("lock",)}


def test_what_has_no_meaning_is_found_with_its_place():
    given = {"owner": 1, "colour": 2, "seat": {"heigth": 1}, "anything": {"zzz": 1}, "lights": {"x": 1}}
    assert list(FORM.unknown(given)) == [("colour",), ("lights",), ("seat", "heigth")]
    assert list(FORM.unknown({"seat": 5})) == []


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"ownr": "x"}, 'bicycle.ownr: unknown field; did you mean "owner"?'),
        ({"seat": {"heigth": 1}}, 'bicycle.seat.heigth: unknown field; did you mean "height"?'),
        ({"fron": True}, 'bicycle.fron: unknown field; did you mean "front"?'),
        ({"lights": {}}, "bicycle.lights: unknown field"),
        ({"owner": None}, "bicycle.owner: expected a string, got null"),
        ({"lock": "Ring"}, "bicycle.lock: write it small"),
        ({"gears": True}, "bicycle.gears: expected an integer >= 0, got true"),
        ({"seat": []}, "bicycle.seat: expected an object, got []"),
        ({"seat": {"height": 2.5}}, "bicycle.seat.height: expected a number > 0 and <= 2, got 2.5"),
        ({"seat": {"kind": 1}}, 'bicycle.seat.kind: expected one of "hard", "soft", got 1'),
        ({"wheels": [{"inches": 26}]}, "bicycle.wheels[0].name: missing"),
        ({"wheels": [{"name": ""}]}, 'bicycle.wheels[0].name: expected a string that is not empty, got ""'),
        ({"wheels": [{"name": "a", "inches": 9}]}, "bicycle.wheels[0].inches: expected an integer 10..30, got 9"),
        ({"wheels": [{"name": "a", "note": {}}]}, "bicycle.wheels[0].note: unknown field"),
        ({"wheels": [{"name": "a", "remark": 1}]}, "bicycle.wheels[0].remark: expected an object, got 1"),
        (
            {"wheels": [{"name": "a"}, {"name": "a"}]},
            'bicycle.wheels[1].name: "a" is already the name of bicycle.wheels[0]',
        ),
        ({"prices": {"": 1}}, 'bicycle[""]: expected'),
        ({"prices": {"bell": -1}}, "bicycle.prices.bell: expected an integer >= 0, got -1"),
        ({"colours": ["blue"]}, 'bicycle.colours[0]: expected one of "red", "white", got "blue"'),
        ({"anything": {"a": [b""]}}, "bicycle.anything.a[0]: expected text, a number, true, false, a list or an"),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(given: dict[str, object], line: str):
    assert refusal(**given).startswith(line.replace('bicycle[""]', 'bicycle.prices[""]'))


def test_entries_are_checked_in_the_order_of_the_declaration():
    assert refusal(colours=1, gears=-1, owner=1).startswith("bicycle.owner: ")
    assert refusal(colours=1, gears=-1).startswith("bicycle.gears: ")


def test_a_mistake_knows_its_place_and_can_be_told_without_the_value():
    with pytest.raises(WrongValue) as caught:
        FORM.read(Node({"wheels": [{"name": "a", "inches": "xanthocanary"}]}))
    assert caught.value.place == ("wheels", 0, "inches")
    assert caught.value.discreet == "expected an integer 10..30"
    assert "xanthocanary" in caught.value.reason


@dataclass(frozen=True, slots=True)
class Boundless:
    number: int = 0


def test_a_number_needs_its_bounds():
    """Else a setting that nobody thought about takes -1 and 10**30."""
    with pytest.raises(TypeError, match="needs its bounds"):
        form_of(Boundless)
