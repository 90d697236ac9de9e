"""A summary is made: by rule, or part by part by a model, checked after every step; what fails is refused in words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from workbench.context.shorten.check import Enforced, Original, check, enforced
from workbench.context.shorten.outline import SummaryMessage, original_of, outline
from workbench.domain.errors import WorkbenchError
from workbench.domain.summary import OUTLINE
from workbench.engine.summaries.planning import Part, Plan, part_request
from workbench.engine.turn.aside import AsideRequest, ask_aside
from workbench.engine.world import World

_TRIES = 2
_WORTH_MERGING = 2
"""Summaries of parts are written as one where they are together longer than this part of the original."""

Moved = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Made:
    """What came of it; `text` is there to be read also where it was refused."""

    text: str
    verdict: Enforced


async def make_summary(plan: Plan, chat: str, world: World, moved: Moved) -> Made:
    """Make it; `WorkbenchError` says why a model gave nothing."""
    material = plan.material
    if material.summary.made_by == OUTLINE:
        found = await asyncio.to_thread(outline, material.said)
        return Made(found.text or "", found)
    work = _Asking(plan, chat, world)
    texts: list[str] = []
    for number, (part, request) in enumerate(zip(plan.parts, plan.requests, strict=True), start=1):
        moved(number)
        one = len(plan.parts) == 1
        made = await work.asked(part, request, material.original if one else original_of(part), whole=one)
        if made.verdict.text is None:
            return made
        texts.append(made.verdict.text)
    joined = "\n".join(texts)
    verdict = await asyncio.to_thread(enforced, joined, material.original)
    merged = await work.merged(joined) if len(texts) > 1 else None
    if merged is not None and merged.verdict.text is not None:
        return merged
    return Made(joined, verdict)


def _judged(said: str, original: Original, whole: bool) -> Enforced:
    """The verdict on what a model wrote; of a part only its facts count, all parts together pass the door."""
    if whole:
        return enforced(said, original)
    checked = check(said, original)
    return Enforced(said if checked.holds else None, checked.words, checked)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A model that is asked for one summary after the other."""

    plan: Plan
    chat: str
    world: World

    async def asked(self, part: Part, request: AsideRequest, original: Original, *, whole: bool) -> Made:
        """The summary of a part; where it is refused, once more with what was wrong."""
        made = Made("", Enforced(None, "The model answered without words."))
        for attempt in range(_TRIES):
            if attempt:
                model = self.plan.material.summary.made_by
                refusal = made.verdict.refusal.rstrip(".")
                request = await part_request(part, model, self.chat, self.world, refusal)
            try:
                said = clean(await ask_aside(request, self.world))
            except WorkbenchError as problem:
                raise WorkbenchError(f"No summary was made; nothing was changed. {problem}") from problem
            if said:
                made = Made(said, await asyncio.to_thread(_judged, said, original, whole))
            if made.verdict.text is not None:
                break
        return made

    async def merged(self, joined: str) -> Made | None:
        """Summaries of parts as one, where they are long together; None where that is not worth it or does not fit."""
        original = self.plan.material.original
        if len(joined) * _WORTH_MERGING < original.chars:
            return None
        part = (SummaryMessage("", joined),)
        model = self.plan.material.summary.made_by
        request = await part_request(part, model, self.chat, self.world)
        if not request.prepared.built.envelope.fits:
            return None
        return await self.asked(part, request, original, whole=True)


def clean(said: str) -> str:
    """What a model wrote without what is no part of a summary: an opening line, marks that nobody can see."""
    printable = "".join(c if c.isprintable() or c == "\n" else " " for c in said)
    lines = [line.rstrip() for line in printable.strip().splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":") and "summar" in lines[0].lower():
        lines = lines[1:]
    return "\n".join(lines)
