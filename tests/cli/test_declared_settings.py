"""One declaration: whatever is a setting is one in a trajectory, for `--set`, in settings.toml and in a preset."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from workbench.cli.replay.trajectory import TRAJECTORY_FORMAT, parse_trajectory
from workbench.cli.settings import settings_document, settings_lines
from workbench.domain.errors import InvalidInput
from workbench.domain.parameters import Parameters
from workbench.domain.reading.form import Form, form_of
from workbench.domain.reading.node import Node
from workbench.domain.settings.context_settings import (
    KINDS,
    CompactionSettings,
    ContextSettings,
    FilterSettings,
    HistorySettings,
    LibrarySettings,
    PersonaSources,
    SectionSettings,
)
from workbench.domain.settings.preset import (
    apply_overrides,
    merge_preferences,
    merge_settings,
    parse_override,
    settings_by_name,
)
from workbench.domain.tool import ToolDefinition
from workbench.settings.settings_file import FILE_NAME, SettingsFile

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = texts.filter(bool)
counts = st.integers(0, 10**12)
shares = st.floats(0, 1, exclude_min=True)
kinds = st.frozensets(st.sampled_from(KINDS), max_size=3)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
schemas = st.dictionaries(texts, values, max_size=2).map(
    lambda schema: json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
)
tools = st.lists(
    st.builds(ToolDefinition, names, texts, schemas), max_size=2, unique_by=lambda tool: tool.name
)
all_settings = st.builds(
    ContextSettings,
    model=names,
    counter=st.sampled_from(["exact", "rfc", "chars4"]),
    context_window=st.none() | st.integers(1, 10**12),
    reserved_output_tokens=st.none() | counts,
    cache_lifetime=st.none() | st.sampled_from(["5m", "1h"]),
    system_prompt=texts,
    persona=st.builds(
        PersonaSources,
        texts,
        texts,
        texts,
        st.none() | st.sampled_from(["replace", "add"]),
        st.none() | st.sampled_from(["replace", "add"]),
    ),
    persona_mode=st.sampled_from(["replace", "add"]),
    project_instructions=texts,
    tool_guidelines=texts,
    user_memory=texts,
    attachment_budget_tokens=st.none() | counts,
    history=st.builds(
        HistorySettings,
        threshold=st.none() | shares,
        headroom=st.none() | shares,
        keep_last_n_assistant=counts,
        last_n_messages=st.none() | counts,
        max_tokens=st.none() | counts,
        recall=st.booleans(),
        recall_tokens=st.none() | counts,
        recall_chats=st.booleans(),
        when_full=st.sampled_from(["placeholders", "exchanges"]),
    ),
    sections=st.builds(SectionSettings, st.booleans(), st.none() | counts, shares),
    library=st.builds(LibrarySettings, st.sampled_from(["compact", "leave"])),
    freshness=st.sampled_from(["refresh", "freeze", "auto"]),
    layout=st.sampled_from(["layered", "append_only", "auto"]),
    edits=st.sampled_from(["full", "changes"]),
    tell_undone=st.booleans(),
    compaction=st.builds(
        CompactionSettings,
        counts,
        st.integers(1, 10**12),
        st.integers(1, 10**12),
        st.sampled_from(["preview", "placeholder"]),
    ),
    parameters=st.builds(
        Parameters,
        temperature=st.none() | st.floats(0, 2),
        top_p=st.none() | shares,
        stop=st.none() | st.lists(names, max_size=2).map(tuple),
        seed=st.none() | counts,
        reasoning_effort=st.none() | st.sampled_from(["none", "low", "max"]),
        response_format=st.none() | st.just("json") | schemas,
        top_k=st.none() | st.integers(1, 10**6),
        min_p=st.none() | st.floats(0, 1),
        frequency_penalty=st.none() | st.floats(-2, 2),
        presence_penalty=st.none() | st.floats(-2, 2),
        extra=st.none() | schemas,
        probabilities=st.none() | st.booleans(),
    ),
    tools=tools.map(tuple),
    tools_on_demand=st.booleans(),
    filters=st.builds(
        FilterSettings,
        st.booleans(),
        st.booleans(),
        st.none() | kinds,
        kinds,
        st.none() | st.frozensets(texts, max_size=2),
    ),
)


@given(all_settings)
def test_what_is_written_is_read_back_the_same(settings: ContextSettings):
    document = json.loads(json.dumps(settings_document(settings)))
    assert merge_settings(ContextSettings(), Node(document, "settings")) == settings


@given(all_settings)
def test_each_setting_written_by_itself_is_what_set_takes(settings: ContextSettings):
    document = settings_document(settings)
    overrides = dict(parse_override(f"{key}={json.dumps(value)}") for key, value in document.items())
    assert apply_overrides(ContextSettings(), overrides) == settings


DEFAULTS = settings_by_name(ContextSettings())
# One value for every setting that is not its default: of a switch the other one, of all else a line here.
CHANGED: dict[tuple[str, ...], Any] = {
    **{tuple(name.split(".")): not value for name, value in DEFAULTS.items() if isinstance(value, bool)},
    ("model",): "other",
    ("counter",): "rfc",
    ("context_window",): 500,
    ("cache_lifetime",): "1h",
    ("reserved_output_tokens",): 5,
    ("system_prompt",): "s",
    ("persona", "default"): "d",
    ("persona", "workspace"): "w",
    ("persona", "user"): "u",
    ("persona", "workspace_mode"): "add",
    ("persona", "user_mode"): "add",
    ("persona_mode",): "add",
    ("project_instructions",): "p",
    ("tool_guidelines",): "g",
    ("user_memory",): "m",
    ("attachment_budget_tokens",): 7,
    ("history", "threshold"): 0.5,
    ("history", "headroom"): 0.25,
    ("history", "keep_last_n_assistant"): 1,
    ("history", "last_n_messages"): 2,
    ("history", "max_tokens"): 3,
    ("history", "recall_tokens"): 4,
    ("history", "when_full"): "exchanges",
    ("sections", "tokens"): 5,
    ("sections", "folder_share"): 0.4,
    ("library", "detached"): "leave",
    ("freshness",): "freeze",
    ("layout",): "append_only",
    ("edits",): "changes",
    ("compaction", "verbatim_chars"): 1,
    ("compaction", "section_chars"): 2,
    ("compaction", "max_sections"): 3,
    ("compaction", "tool_results"): "preview",
    ("compaction", "verbatim_kinds"): ["note"],
    ("compaction", "summary_kinds"): ["file"],
    ("parameters", "temperature"): 0.5,
    ("parameters", "top_p"): 0.9,
    ("parameters", "stop"): ["END"],
    ("parameters", "seed"): 7,
    ("parameters", "reasoning_effort"): "low",
    ("parameters", "response_format"): {"type": "object"},
    ("parameters", "top_k"): 40,
    ("parameters", "min_p"): 0.05,
    ("parameters", "frequency_penalty"): -0.5,
    ("parameters", "presence_penalty"): 1.5,
    ("parameters", "extra"): {"top_a": 0.1},
    ("parameters", "probabilities"): True,
    ("tools",): [{"name": "t", "description": "d", "input_schema": {"type": "object"}}],
    ("include_kinds",): ["file"],
    ("exclude_kinds",): ["output"],
    ("include_only",): ["m1"],
}


def nested(place: tuple[str, ...], value: object) -> dict[str, Any]:
    for name in reversed(place):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def by_trajectory(place: tuple[str, ...], value: object, _: Path) -> ContextSettings:
    document = {"format": TRAJECTORY_FORMAT, "settings": nested(place, value), "turns": [{}]}
    return parse_trajectory(document).turns[0].settings


def by_turn(place: tuple[str, ...], value: object, _: Path) -> ContextSettings:
    document = {"format": TRAJECTORY_FORMAT, "turns": [{"settings": nested(place, value)}]}
    return parse_trajectory(document).turns[0].settings


def by_set(place: tuple[str, ...], value: object, _: Path) -> ContextSettings:
    written = value if isinstance(value, str) else json.dumps(value)
    return apply_overrides(ContextSettings(), dict([parse_override(f"{'.'.join(place)}={written}")]))


def by_file(place: tuple[str, ...], value: object, folder: Path) -> ContextSettings:
    store = kept(place, value, folder)
    found = merge_preferences(ContextSettings(), store.load().context)
    assert store.problems == ()
    return found


def kept(place: tuple[str, ...], value: object, folder: Path) -> SettingsFile:
    (folder / FILE_NAME).write_text(tomlkit.dumps({"context": nested(place, value)}), encoding="utf-8")
    return SettingsFile(folder)


def leaves(form: Form[Any]) -> set[tuple[str, ...]]:
    return {place for place, kind in form.places() if kind.form is None}


def test_every_setting_is_reachable_in_every_way(tmp_path: Path):
    """A setting that only a trajectory knows cannot be tried with `--set`, and never becomes anybody's default."""
    assert leaves(form_of(ContextSettings)) == CHANGED.keys()
    ways: tuple[Callable[[tuple[str, ...], object, Path], ContextSettings], ...]
    ways = (by_trajectory, by_turn, by_set, by_file)
    offenders = []
    for place, value in CHANGED.items():
        results = [way(place, value, tmp_path) for way in ways]
        written: Any = settings_document(results[0])
        for name in place:
            written = written[name]
        if results != [results[0]] * len(ways) or results[0] == ContextSettings() or written != value:
            offenders.append(".".join(place))
    assert offenders == []


def test_every_field_of_the_settings_has_a_name():
    """A field that the form does not know would be lost in a preset."""

    def attributes(made: Any) -> list[str]:
        inner = [form for entry in form_of(made).entries if (form := entry.kind.form) is not None]
        own = [entry.attribute for entry in form_of(made).entries]
        assert is_dataclass(made)
        assert own == [one.name for one in fields(made)]
        return own + [name for form in inner for name in attributes(form.made)]

    assert len(attributes(ContextSettings)) == len(CHANGED) + len(
        ("persona", "history", "compaction", "sections", "library", "parameters", "filters")
    )


@pytest.mark.parametrize("place", CHANGED, ids=".".join)
def test_a_setting_written_wrong_suggests_the_right_one(place: tuple[str, ...], tmp_path: Path):
    wrong = (*place[:-1], f"{place[-1]}x")
    for way, expected in ((by_trajectory, place[-1]), (by_set, ".".join(place))):
        with pytest.raises(InvalidInput) as caught:
            way(wrong, 1, tmp_path)
        assert f'; did you mean "{expected}"' in caught.value.reason
    by_hand = kept(wrong, 1, tmp_path)
    by_hand.load()
    (problem,) = by_hand.problems
    assert problem.words.endswith(f'; did you mean "{place[-1]}"?')
    assert problem.blocks


def test_lines_name_only_what_is_set():
    changed = apply_overrides(ContextSettings(), {"history.threshold": None, "exclude_kinds": ["output"]})
    assert list(settings_lines(changed)) == [
        "model=gpt-4o",
        "history.threshold=null",
        'exclude_kinds=["output"]',
    ]
