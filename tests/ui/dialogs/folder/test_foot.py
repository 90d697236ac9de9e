"""What adding would come to: one bar and figures that agree with it."""

from __future__ import annotations

from tests.fakes.sample_envelope import sample_view
from workbench.domain.files.attached import AttachLimits
from workbench.ui.dialogs.folder.dialog import NEW, SumBlock, with_new
from workbench.ui.dialogs.folder.nodes import Sums

CHOSEN = Sums(31, 30, 13, 41_164, 5, 5, 1_062, 4_000)


def test_the_new_part_stands_before_the_question_and_is_ringed(qapp):
    view = sample_view()
    bar = with_new(view, 1_062)
    layers = [one.layer for one in bar.segments]
    assert layers[-1] == "L5_USER"
    assert bar.segments[-2].key == NEW
    assert bar.total_tokens == view.total_tokens + 1_062
    assert with_new(view, 0).total_tokens == view.total_tokens


def test_the_figures_are_those_of_the_bar(qapp):
    block, view = SumBlock(), sample_view()
    block.show_sums(view, CHOSEN, AttachLimits())
    assert block.bar.bar().total_tokens == 12_748
    assert block.bar.cursor_key() == NEW
    said = [one.words() for one in (block.chosen, block.before, block.after, block.total, block.verdict)]
    assert said == [
        "1,062 chosen, 5 files", "4,314 free before", "3,252 free after", "12,748 tokens in request",
        "cache kept 52 under trim at 12,800",
    ]  # fmt: skip
    block.show_sums(view, CHOSEN._replace(guessed=1), AttachLimits())
    assert (block.before.words(), block.total.words()) == ("4,314 free before", "≈ 12,748 tokens in request")
    block.show_sums(view, CHOSEN._replace(chosen_counted=4), AttachLimits())
    assert block.chosen.words().startswith("≥ 1,062")


def test_too_much_is_said(qapp):
    block, view = SumBlock(), sample_view()
    block.show_sums(view, CHOSEN._replace(chosen_tokens=9_000), AttachLimits())
    assert (block.after.token(), block.verdict.token()) == ("err", "err")
    block.show_sums(view, CHOSEN._replace(chosen_bytes=600_000_000), AttachLimits())
    assert block.verdict.words() == "too much at once 600.0 MB, over 500 MB"
    block.show_sums(view, CHOSEN._replace(chosen=101), AttachLimits())
    assert block.verdict.words() == "cache kept more than 100 files at once"
    block.show_sums(None, CHOSEN, AttachLimits())
    assert block.total.words() == "— tokens in request"
