"""Searching the web."""

from __future__ import annotations

from typing import Protocol

from workbench.domain.web_search import WebSearch


class WebSearcher(Protocol):
    """Asks who searches the web; fetches none of the pages."""

    async def search(self, words: str, most: int) -> WebSearch:
        """Returns the best hits in their order; `NotSearched` where nobody is set, or gives no usable answer."""
