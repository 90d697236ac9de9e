"""Variants as people write them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.variant import parse_variant, variant_between


def test_a_variant_is_a_name_and_what_it_changes():
    found = parse_variant(
        "Small=context_window=4000,history.threshold=0.5,priority.logs/a.log=8,attach.b.md=out"
    )
    assert found.name == "Small"
    assert found.settings == {"context_window": 4000, "history.threshold": 0.5}
    assert (found.priorities, found.attached) == ({"logs/a.log": 8}, {"b.md": False})
    assert dict(found.patch)["attach.b.md"] == "out"
    assert found.apply_to_settings(ContextSettings()).history.threshold == 0.5


def test_a_comma_in_a_value_is_part_of_it():
    found = parse_variant('Short=instructions=Be brief, kind and exact,parameters.stop=["a","b"]')
    assert found.settings == {"persona.user": "Be brief, kind and exact", "parameters.stop": ["a", "b"]}


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("Small", "expected NAME=KEY=VALUE"),
        ("=model=x", "expected NAME=KEY=VALUE"),
        ("Small=model", "expected NAME=KEY=VALUE"),
        ("Small=modle=x", "unknown setting"),
        ("Small=context_window=-4", "context_window"),
        ("Small=priority.a=11", "from 0 to 10"),
        ("Small=priority.a=first", "from 0 to 10"),
        ("Small=attach.a=off", "in or out"),
    ],
)
def test_what_cannot_be_meant_is_said(written: str, why: str):
    with pytest.raises(InvalidInput, match=why):
        parse_variant(written)


def test_an_attachment_is_named_by_its_path_or_the_end_of_it():
    keys = ("docs/api.md", "old/docs/api.md", "src/a.py")
    found = parse_variant("One=attach.a.py=out,priority.docs/api.md=3").with_full_keys(keys)
    assert (found.attached, found.priorities) == ({"src/a.py": False}, {"docs/api.md": 3})
    for name, why in (("api.md", "2 attachments end so"), ("b.py", "not attached")):
        with pytest.raises(InvalidInput, match=why):
            parse_variant(f"One=attach.{name}=out").with_full_keys(keys)


def test_what_turns_some_settings_into_others_is_a_variant():
    before = ContextSettings(model="builtin", user_memory="- tea")
    history = replace(before.history, threshold=None, keep_last_n_assistant=1)
    after = replace(before, model="gpt-4", history=history, user_memory="", layout="append_only")
    found = variant_between("Other", before, after)
    assert found.apply_to_settings(before) == after
    assert set(found.settings) == {
        "model", "layout", "user_memory", "history.threshold", "history.keep_last_n_assistant",
    }  # fmt: skip
    assert variant_between("Same", before, before).patch == ()
