"""Searching the web."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from workbench.domain.web_search import SearchHit, SearchTool, WebSearch


class WebSearcher(Protocol):
    """Asks who searches the web; fetches none of the pages."""

    @property
    def tool(self) -> SearchTool | None:
        """The tool of a server that is to be asked instead; `InvalidInput` where who is asked is misspelt."""

    async def search(self, words: str, most: int) -> WebSearch:
        """Returns the best hits in their order; `NotSearched` where nobody is set, or gives no usable answer."""

    def usable(self, words: str, by: str, hits: Iterable[SearchHit], most: int) -> WebSearch:
        """The search with those of the hits that pages could be read from, each address once; others are counted."""
