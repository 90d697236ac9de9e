"""Reads the guide, which comes with the program: pages of Markdown, and their pictures."""

from __future__ import annotations

from workbench.domain.guide import GuideText, guide_pages
from workbench.sources.resources import resource_path

FOLDER = "guide"


def shipped_guide() -> tuple[GuideText, ...]:
    """All pages, in the order of their list."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in resource_path(FOLDER).glob("*.md")}
    return guide_pages(texts)


def guide_picture(name: str) -> bytes:
    """The bytes of a picture, by the name a page gives it."""
    return resource_path(FOLDER, *name.split("/")).read_bytes()
