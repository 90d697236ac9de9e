"""The table of formats: each says what it leaves out, and names its files so that every disk takes them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.fakes.archives import full_archive, plain_archive
from tests.fakes.turns import user
from workbench.domain.errors import InvalidInput
from workbench.engine.exchange.formats import FORMATS, ExportFormat, file_stems, find_format, left_out

FULL = full_archive()
SHORT = plain_archive(user("q"), chat="other", title="../../etc/passwd\0\n CON")


def test_the_formats_are_those_of_the_command():
    assert [one.name for one in FORMATS] == ["json", "markdown", "html", "openai", "sharegpt", "elara"]
    assert find_format("elara").name == "elara"
    with pytest.raises(
        InvalidInput, match="expected one of json, markdown, html, openai, sharegpt, elara, got 'pdf'"
    ):
        find_format("pdf")


@pytest.mark.parametrize("chosen", FORMATS, ids=lambda one: one.name)
def test_files_are_named_safely_and_once(chosen: ExportFormat):
    names = [name for name, _ in chosen.export([FULL, SHORT, SHORT])]
    assert len(set(names)) == len(names)
    assert all(
        re.fullmatch(r"([a-z0-9-]+/)?[A-Za-z0-9_-]+(\.workbench)?\.(json|jsonl|md|html)", name)
        for name in names
    )


def test_one_chat_for_elara_needs_no_folder():
    assert all("/" not in name for name, _ in find_format("elara").export([FULL]))
    assert all("/" in name for name, _ in find_format("elara").export([FULL, SHORT]))


def test_names_come_from_date_and_title():
    untitled = replace(SHORT, chat=replace(SHORT.chat, title="", created_utc=""))
    assert file_stems([FULL, SHORT, SHORT, untitled]) == (
        "2026-01-01-everything-b-there-b-is",
        "2026-01-01-etc-passwd-con",
        "2026-01-01-etc-passwd-con-2",
        "chat",
    )


def test_what_is_left_out_is_said_and_counted():
    assert left_out(find_format("json"), [FULL]) == "Nothing is left out."
    said = left_out(find_format("markdown"), [FULL])
    assert said.startswith("Left out: other branches and deleted messages")
    assert said.endswith(
        "Here: messages of other branches or deleted: 6, requests: 4, attachments: 2, pictures: 0, "
        "results of commands: 0."
    )


def test_a_page_has_every_branch_and_says_how_many_deleted_messages_it_leaves_out():
    assert left_out(find_format("html"), [FULL]).endswith("Here: deleted messages: 1, requests: 4.")
