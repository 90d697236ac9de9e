"""Texts that were cut share the room there is, and are given more once they have more."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.turns import RENDERERS, artifact, turn_inputs, user, word_counter
from workbench.context.assembly.cutting import Filling
from workbench.context.assembly.draft import AttachmentPricing, Draft, WindowPricing
from workbench.context.assembly.memory import BuildMemory, shortener_for
from workbench.context.assembly.references import Places
from workbench.context.assembly.select import Placements, shrink
from workbench.domain.envelope import TrimState, budget_for
from workbench.domain.settings.context_settings import CompactionSettings, ContextSettings

WORDS = "".join(f"word{number} and more\n" for number in range(400))
SMALL = CompactionSettings(verbatim_chars=200, section_chars=20, max_sections=3)
SETTINGS = ContextSettings(model="word-1", context_window=1_000, reserved_output_tokens=0, compaction=SMALL)
LOG, OTHER = artifact("log", WORDS), artifact("other", WORDS * 2)


def setting(state: TrimState = TrimState()) -> tuple[Filling, WindowPricing, Placements]:  # noqa: B008  (frozen)
    inputs = turn_inputs(SETTINGS, attached=(LOG, OTHER), question=user("q"), trim=state)
    draft = Draft(inputs, budget_for(SETTINGS, 1_000), (), word_counter(), RENDERERS)
    shortener = shortener_for(SETTINGS, BuildMemory(), draft.counter)
    placed = Places(shortener, "refresh", lambda one: True).place((), inputs.attached)
    filling = Filling(inputs, AttachmentPricing(draft), shortener, 800, 720)
    return filling, WindowPricing(draft, 0), placed


def test_what_is_cut_shares_the_room_and_only_what_is_named_gets_any():
    filling, request, placed = setting()
    least = tuple(map(shrink, placed))
    whole = {one.artifact.key: one for one in placed}
    both = filling.filled(least, whole, request, 720)
    tokens = [request.alone(one) for one in both]
    assert (request.together(both) <= 720, abs(tokens[0] - tokens[1]) < 20) == (True, True)
    one = filling.filled(least, whole, request, 720, only={"log"})
    assert (one[1], request.alone(one[0]) > tokens[0]) == (least[1], True)


def test_a_cut_remembers_what_it_was_made_by_and_more_is_seen_by_that():
    filling, request, placed = setting()
    cut = filling.filled(tuple(map(shrink, placed)), {one.artifact.key: one for one in placed}, request, 720)
    fitted = [filling.recorded_cut(one, cut) for one in cut]
    kept = tuple(one for one in fitted if one is not None)
    assert [one.priority for one in kept] == [5, 5]
    again, _, _ = setting(TrimState(fitted=kept))
    assert (again.with_more_room(cut), again.has_raised_priority(cut)) == (frozenset(), False)
    assert again.with_more_room(cut[:1]) == {"log"}
    raised = replace(cut[0], artifact=replace(LOG, priority=2))
    assert again.has_raised_priority((raised, cut[1]))
