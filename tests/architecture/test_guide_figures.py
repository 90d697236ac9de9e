"""Every figure of the guide is the code's own: a page that says another number fails here."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from functools import cache

import pytest

from tests.architecture.test_guide import CODE, KEYS, LINK
from workbench.cli.ask.command import add_arguments
from workbench.context.assembly.cutting import _SPARED_EXCHANGES
from workbench.context.assembly.quotes import recall_room
from workbench.context.folders.packed import SECTION_SIZE
from workbench.context.influence.masks import leave_one_out
from workbench.domain.answer_facts import MOST_CHARS
from workbench.domain.envelope import HEADROOM, LOG_HEADROOM, budget_for
from workbench.domain.files.attached import AttachLimits
from workbench.domain.files.attachment import (
    PRIORITY_ESSENTIAL,
    PRIORITY_HIGH,
    PRIORITY_LOW,
    PRIORITY_MEDIUM,
    Artifact,
)
from workbench.domain.folder_index import MOST_FILES
from workbench.domain.influence import LEAST_HELD_OUT
from workbench.domain.probability import CANDIDATES, DOUBTED_BELOW
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import settings_by_name
from workbench.domain.spending import CapReached, Limit
from workbench.domain.watch.request import WatchLimits
from workbench.engine.turn.answering import BEHIND_S
from workbench.net.watch.copies import MOST_REQUEST
from workbench.net.watch.passage import REFUSALS
from workbench.providers.cache_rules import load_rules
from workbench.providers.catalogue import load_catalogue
from workbench.providers.ollama.model import DEFAULT_WINDOW_TOKENS
from workbench.providers.prices import load_prices
from workbench.sources.resources import resource_path, shipped_guide
from workbench.tools.mcp.limits import McpLimits
from workbench.tools.workspace.expressions import ExpressionSearch
from workbench.wiring.command_line import command_parts

PAGES = {page.name: page.text for page in shipped_guide() if page.name != "shortcuts"}
ROW = re.compile(r"^\|(.+)\|$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HUGE = 10_000_000


def rows(page: str, head: str) -> Iterator[list[str]]:
    """The cells of the tables of a page whose first row begins so."""
    wanted = False
    for line in PAGES[page].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        wanted = bool(cells) and (wanted or cells[0] == head)
        if wanted and cells[0] != head and not cells[0].startswith("---"):
            yield cells


@cache
def new_chat() -> dict[str, object]:
    return settings_by_name(command_parts(Namespace()).new_chat_settings(False))


@pytest.mark.parametrize("page", ["budget", "recall", "folders"])
def test_defaults_of_settings_are_those_of_a_new_chat(page: str):
    said = {name.strip("`"): default for name, default, _ in rows(page, "setting")}
    now = {name: new_chat()[name] for name in said}
    assert said == {name: one if isinstance(one, str) else json.dumps(one) for name, one in now.items()}
    assert len(said) > (0 if page == "folders" else 3)


def test_the_table_of_caches_is_the_rulebook():
    rulebook = load_rules(resource_path("cache-rules.toml"))
    known = [
        [
            rules.id,
            f"{rules.minimum_tokens:,}",
            f"{rules.step_tokens:,}",
            "not published" if rules.lifetime_s is None else f"{rules.lifetime_s // 60} min",
            rules.as_of,
        ]
        for rules in rulebook.by_id.values()
    ]
    assert list(rows("cache", "rules")) == known


def test_the_limits_of_attachments_are_the_programs():
    limits = AttachLimits()
    values = {
        "file_mb": f"{limits.file_mb} MB",
        "total_mb": f"{limits.total_mb} MB",
        "ask_files": str(limits.ask_files),
    }
    assert [(key.strip("`"), said) for _, said, key in rows("attachments", "limit")] == [
        (f"attach.{name}", value) for name, value in values.items()
    ]


def test_the_limits_of_watching_are_the_programs():
    limits = WatchLimits()
    assert [(said, key.strip("`")) for _, said, key in rows("watch", "limit")] == [
        (f"{limits.days} days", "watch.days"),
        (f"{limits.megabytes} MB", "watch.megabytes"),
    ]


def test_the_named_priorities_are_the_programs():
    known = [PRIORITY_ESSENTIAL, PRIORITY_HIGH, PRIORITY_MEDIUM, PRIORITY_LOW]
    assert [int(row[0]) for row in rows("priorities", "priority")] == known


@cache
def phrases() -> dict[str, tuple[str, ...]]:
    """What pages say in figures beside their tables, with the figures from the code."""
    large = budget_for(ContextSettings(), HUGE)
    small = budget_for(ContextSettings(), 4_000)
    preferred, served = Preferences(), McpLimits()
    catalogue = load_catalogue(resource_path("models.toml"))
    gpt = load_prices(resource_path("prices.toml")).price(catalogue.find("openai:gpt-4.1"))
    parser = ArgumentParser()
    add_arguments(parser)
    assert gpt is not None
    assert (small.reserved_output_tokens, small.threshold_tokens) == (1_000, 2_400)
    assert recall_room(ContextSettings(), small) == 2_400 // 8
    assert BEHIND_S == 1 / 5
    assert served.call_most_s == 3600, "the guide says an hour"
    return {
        "budget": (
            f"a quarter of the window, up to {large.reserved_output_tokens:,}",
            f"{catalogue.unknown.context_window_tokens:,} tokens are assumed",
            f"or with {DEFAULT_WINDOW_TOKENS:,} tokens",
            f"at {HEADROOM:.0%} of it by layers, at {LOG_HEADROOM:.0%} append-only".replace("%", " %"),
            f"The newest {_SPARED_EXCHANGES} turns",
            "exits with 1",
        ),
        "priorities": (
            f"New attachments have {Artifact('a', 'file', '').priority}",
            f"from {PRIORITY_ESSENTIAL} to {PRIORITY_LOW}",
            "**0 … 9** set it",
            "0 sends it whole",
        ),
        "cache": (
            f"gpt-4.1: {gpt.input:.2f} for input, {gpt.cached:.2f} for what the cache served, "
            f"{gpt.output:.2f} for output",
        ),
        "recall": (f"up to {recall_room(ContextSettings(), large):,} tokens, or an eighth of the threshold",),
        "folders": (
            f"sections of up to {SECTION_SIZE.most} characters",
            f"Up to {MOST_FILES:,} files",
            "exits with 1",
        ),
        "changing": (
            "Claude up to 4.5",
            f"Words below {DOUBTED_BELOW}",
            f"**words under {DOUBTED_BELOW}**",
            f"1 to {CANDIDATES} choose one",
            "(‹ 2 / 2 ›)",
        ),
        "checking": (f"the first {MOST_CHARS:,} characters",),
        "compare": ("**From turn 1**", f"takes over {ExpressionSearch(None).limit_s:.0f} s is ended"),
        "attachments": (f'"off", "{preferred.redaction}", the default',),
        "workspaces": (f"up to {preferred.max_tool_rounds} times",),
        "servers": (
            f"After {served.questions} questions in one call",
            f"after {served.questions} in one call",
            f"at most {served.sampled_chars:,} characters, its answer {served.sampled_tokens:,} tokens",
            f"silent for {served.call_s:.0f} seconds",
            f"nothing answered within {served.sign_in_s:.0f} seconds",
            "(OAuth 2.1)",
        ),
        "keys": (f"default {preferred.lock_after_minutes}: never",),
        "headless": (
            "0 done, 1 failed, 2 wrong usage or an invalid file, 130 stopped",
            f"up to {parser.get_default('wait'):.0f} seconds",
            "From version 1.0 on",
            "deprecated in 1.0",
        ),
        "promises": ("a fifth of a second",),
        "money": (str(CapReached(Limit("day", 5.0), 4.88, 0.31, "")).removesuffix(". Nothing was sent."),),
        "rules": (
            f"more than {MOST_REQUEST // 2**20} MB",
            f"refuses ({', '.join(map(str, sorted(REFUSALS)))})",
        ),
        "influence": (
            f"{LEAST_HELD_OUT} more requests leave out several pieces",
            f"Six pieces take {len(leave_one_out(6, '').order)} in all",
        ),
    }


def test_figures_in_sentences_are_the_codes_own():
    for page, said in phrases().items():
        text = " ".join(PAGES[page].replace("|", " ").split())
        assert [phrase for phrase in said if phrase not in text] == []


@pytest.mark.parametrize("page", PAGES)
def test_no_other_figure_is_in_a_page(page: str):
    """Tables are compared above; what is left beside code and keys must be one of the phrases."""
    text = FENCE.sub("", PAGES[page])
    text = ROW.sub("", re.sub(r"^    .*$", "", text, flags=re.MULTILINE))
    text = LINK.sub("", KEYS.sub("", CODE.sub("", text)))
    text = " ".join(re.sub(r"^\d\. ", "", text, flags=re.MULTILINE).split())
    for phrase in phrases().get(page, ()):
        text = text.replace(phrase, "")
    assert re.findall(r"\S*\d\S*", text) == []
