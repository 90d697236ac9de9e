"""Where a fact stands is told by the file that was quoted, and by its own lines: not by the tag around them."""

from __future__ import annotations

from dataclasses import replace

from tests.context.assembly.test_quotes import build_after
from tests.fakes.turns import assistant, build, user
from workbench.context.answers.pieces import request_pieces
from workbench.context.invariants import violations
from workbench.domain.change import Built
from workbench.domain.recall import Found, MatchedWord, joined, lines_of, parts_of
from workbench.domain.settings.context_settings import ContextSettings, SectionSettings
from workbench.domain.turn import Tuning

TEXT = "The port is 8443.\nIt can be changed.\n"
FOUND = Found(
    "/home/me/docs/api.md#L3-4", 2.0, "quoted", (), TEXT, title="docs/api.md", place="Ports",
    artifact="/home/me/docs/api.md", folder="/home/me/docs",
)  # fmt: skip
OTHER = Found(
    "/home/me/docs/b.md#L1-2", 1.0, "quoted", (), "words " * 60, title="docs/b.md", folder="/home/me/docs"
)


KEYS = [f"/home/me/docs/api.md#L{n}-{n + 1}" for n in (1, 3, 5, 7)]
PARTS = tuple(
    Found(key, 4.0 - n, "quoted", (MatchedWord("port", "port", "exact", 4.0 - n),), f"Section {n} tells it.\n",
    f"Part {n}", title="docs/api.md", place=f"Part {n}", artifact="/home/me/docs/api.md", folder="/home/me/docs",
    after=tuple(KEYS[n + 1 : n + 3])) for n, key in enumerate(KEYS)
)  # fmt: skip


def built(*found: Found, tuning: Tuning | None = None, share: float = 0.25) -> Built:
    settings = ContextSettings(sections=SectionSettings(folder_share=share))
    return build(settings, question=user("q", "which port"), found=found, tuning=tuning or Tuning())


def quoted(request: Built) -> list[str]:
    return [one.id for one in request.envelope.layer("L3_TURN").segments if one.kind == "quoted"]


def test_a_quote_is_told_by_its_file_and_without_its_tag():
    request = built(FOUND)
    (piece,) = (one for one in request_pieces(request) if one.key == FOUND.id)
    assert piece.name == "docs/api.md"
    assert piece.text.splitlines()[:3] == ['<section of="docs/api.md" part="Ports">', *TEXT.splitlines()]
    assert "fence" not in piece.text
    assert piece.skipped_lines == 1
    assert "/home/me" not in "".join(
        segment.text for layer in request.envelope.layers for segment in layer.segments
    )
    assert list(violations(request)) == []


def test_a_tick_comes_on_top_of_the_share_and_what_is_left_out_never_comes():
    assert quoted(built(FOUND, share=0.001)) == []
    ticked = Tuning(recalled=frozenset({FOUND.id}))
    assert quoted(built(FOUND, OTHER, share=0.001, tuning=ticked)) == [FOUND.id]
    assert quoted(built(FOUND, OTHER, tuning=Tuning(unrecalled=frozenset({FOUND.id})))) == [OTHER.id]


def test_sections_that_follow_one_another_are_one_quote_that_costs_less():
    request = built(PARTS[1], OTHER, PARTS[0], PARTS[3])
    third, first, fourth = (one for one in request.envelope.layer("L3_TURN").segments if one.kind == "quoted")
    assert parts_of(first.id) == tuple(KEYS[:2])
    assert first.text.count("<section ") == 1
    assert "Section 0 tells it.\nSection 1 tells it.\n" in first.text
    assert 'part="Part 0 – Part 1"' in first.text
    assert (third.id, fourth.id) == (OTHER.id, KEYS[3])
    apart = sum(built(one).envelope.layer("L3_TURN").total_tokens for one in PARTS[:2])
    assert built(*PARTS[:2]).envelope.layer("L3_TURN").total_tokens < apart
    assert list(violations(request)) == []
    told = joined(PARTS[:2])
    assert (lines_of(told.id), told.score, sum(word.part for word in told.words)) == ((1, 4), 4.0, 4.0)
    assert told.after == PARTS[1].after


def test_in_a_log_a_section_of_a_joined_quote_is_not_sent_again_and_what_is_new_is():
    settings = ContextSettings(layout="append_only", sections=SectionSettings(folder_share=0.25))
    first = build(settings, question=user("q1", "?"), found=PARTS[:2])
    later = {"turn": 2, "history": (user("q1", "?"), assistant("a1", "ok")), "question": user("q2", "?")}
    same = build_after(first, settings, **later, found=PARTS[1:2])
    assert quoted(same) == []
    more = build_after(first, settings, **later, found=PARTS[1:4])
    assert [parts_of(one) for one in quoted(more)] == [tuple(KEYS[2:])]
    assert list(violations(more)) == []
    changed = build_after(first, settings, **later, found=(replace(PARTS[0], text="It changed.\n"),))
    assert quoted(changed) == KEYS[:1]


def test_without_a_followed_folder_nothing_of_it_is_in_a_request():
    assert built().envelope.layers == built(share=0.9).envelope.layers
