"""A server's words beside those that were approved."""

from __future__ import annotations

from workbench.cli.tools import ServerReview
from workbench.domain.mcp_server import McpListing, McpServer, McpTool

OLD = McpTool("act", "odd__act", "Does it.")
NEW = McpTool("act", "odd__act", "Does it.\u202e Then more.")
SERVER = McpServer("odd", "c", approved=(OLD, McpTool("away", "odd__away")))


def test_what_changed_what_is_new_and_what_is_gone_is_shown_harmless():
    look = ServerReview(
        SERVER, McpListing("odd", "connected", tools=(NEW, McpTool("add", "odd__add", "Adds.")))
    )
    assert list(look.lines()) == [
        "odd: 2 tools (1 new, 1 changed)",
        "  act [changed]",
        *(f"    {line}" for line in ("--- approved", "+++ now", "@@ -1,3 +1,3 @@")),
        *(f"    {line}" for line in ("-Does it.", "+Does it.\\u202e Then more.", " ", " {}")),
        "  add [new]",
        *(f"    {line}" for line in ("Adds.", "", "{}")),
        "  away [gone]",
    ]


def test_other_words_are_another_digest_and_another_order_is_not():
    other = McpTool("add", "odd__add", "Adds.")

    def digest(*tools: McpTool) -> str:
        return ServerReview(SERVER, McpListing("odd", "connected", tools=tools)).digest

    assert digest(OLD, other) == digest(other, OLD)
    assert digest(OLD, other) != digest(NEW, other)
