"""An attached text cut to the room there is, by its shape, with how to have the rest."""

from __future__ import annotations

from workbench.context.shorten.check import enforced, extract_of
from workbench.context.shorten.code import plan_code
from workbench.context.shorten.compact import Shortening
from workbench.context.shorten.head_and_tail import HeadAndTail
from workbench.context.shorten.logs import plan_log
from workbench.context.shorten.pieces import Plan
from workbench.context.shorten.prose import plan_prose
from workbench.context.shorten.shape import ending_of, shape_of
from workbench.context.shorten.tables import plan_table
from workbench.domain.files.attachment import Artifact


def plan_of(name: str, text: str) -> Plan:
    """A text looked through once, ready to be cut to any length."""
    match shape_of(name, text):
        case "log":
            return plan_log(text)
        case "code":
            return plan_code(text, ending_of(name))
        case "prose":
            return plan_prose(text)
        case "table":
            return plan_table(text) or HeadAndTail(text)
        case _:
            return HeadAndTail(text)


def least_chars(artifact: Artifact, how: Shortening) -> int:
    """How much of a text stays at least: two sections' worth. What has no room for that is dropped."""
    return min(2 * how.sizes.section_chars, len(artifact.text) // 4)


def recovery(artifact: Artifact, how: Shortening) -> str:
    """How a model can have the rest of a text that was cut: by a tool that it has, else by asking."""
    return artifact.recover_with if how.can_recover(artifact) else f"ask for {artifact.told}"


def summary_text(artifact: Artifact, summary: str, how: Shortening) -> str | None:
    """A summary in the place of a text; its facts were checked when it was made. None where it is not shorter."""
    note = f"[a summary of {len(artifact.text):,} characters; to have them: {recovery(artifact, how)}"
    note += "]" if how.can_recover(artifact) else f", or {artifact.recover_with}]"
    return enforced(f"{summary}\n{note}", extract_of(artifact, recovery(artifact, how))).text


def fitted_text(artifact: Artifact, chars: int, how: Shortening, plan: Plan | None = None) -> str | None:
    """About so many characters of a text; None where it goes out whole or not at all."""
    text = artifact.text
    if not how.applies_to(artifact) or chars >= len(text):
        return None
    body = (plan or plan_of(artifact.told, text)).cut(chars)
    hint = recovery(artifact, how)
    note = f"[compacted from {len(text):,} characters; to have it in full: {hint}]"
    return enforced(f"{body}\n{note}", extract_of(artifact, hint)).text
