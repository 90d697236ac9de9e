"""Where a fact stands is told by the file that was quoted, and by its own lines: not by the tag around them."""

from __future__ import annotations

from tests.fakes.turns import build, user
from workbench.context.answers.pieces import request_pieces
from workbench.context.invariants import violations
from workbench.domain.change import Built
from workbench.domain.recall import Found
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


def test_without_a_followed_folder_nothing_of_it_is_in_a_request():
    assert built().envelope.layers == built(share=0.9).envelope.layers
