"""`workbench guide`: the pages of the window's guide, as Markdown."""

from __future__ import annotations

import argparse
from typing import Any

from workbench.cli.services import Services
from workbench.cli.terminal import print_json, print_table, print_text
from workbench.domain.errors import InvalidInput
from workbench.domain.guide import GuideText, search_guide
from workbench.domain.translation import tr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("page", nargs="?", metavar="PAGE", help="which page; default: list all of them")
    parser.add_argument(
        "--search", metavar="WORDS", help="list the pages that have all these words, best first"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace, services: Services) -> int:
    """Prints a page, or lists pages; returns 1 where a search finds none."""
    if arguments.page is not None and arguments.search is not None:
        raise InvalidInput("guide", tr("a page or --search, not both"))
    pages = services.guide()
    if arguments.page is not None:
        return _print(_find_page(pages, arguments.page), as_json=arguments.json)
    found = search_guide(pages, arguments.search or "")
    listed = [{"name": one.page.name, "title": one.page.title, "line": one.line} for one in found]
    if arguments.json:
        print_json(listed)
    elif listed:
        print_table([_row(one) for one in listed])
    return 0 if listed else 1


def _find_page(pages: tuple[GuideText, ...], name: str) -> GuideText:
    for page in pages:
        if page.name == name.removesuffix(".md"):
            return page
    raise InvalidInput(
        "PAGE",
        tr(
            "there is no page {name!r}; pages: {value}",
            name=name,
            value=", ".join(page.name for page in pages),
        ),
    )


def _print(page: GuideText, *, as_json: bool) -> int:
    if as_json:
        print_json({"name": page.name, "title": page.title, "text": page.text})
    else:
        print_text(page.text.rstrip("\n"))
    return 0


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    return (one["name"], one["title"], one["line"]) if one["line"] else (one["name"], one["title"])
