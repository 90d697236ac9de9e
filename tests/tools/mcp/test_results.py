"""What servers say and give, as values: texts are taken, everything else is named, all of it within limits."""

from __future__ import annotations

import base64

import mcp_types as types

from workbench.domain.mcp_server import McpPrompt, McpResource
from workbench.tools.mcp.child import NEEDED
from workbench.tools.mcp.limits import McpLimits
from workbench.tools.mcp.listing import Listed
from workbench.tools.mcp.session import contents_of, outcome_of, prompt_of

LIMITS = McpLimits(result_chars=200, resource_bytes=10, resources=2, prompts=2)


def test_texts_are_taken_and_the_rest_is_named():
    blob = base64.b64encode(b"\x00" * 30).decode()
    result = types.CallToolResult(
        content=[
            types.TextContent(type="text", text="One."),
            types.ImageContent(type="image", data=blob, mime_type="image/png"),
            types.ResourceLink(type="resource_link", name="x", uri="a://b\u202e"),
            types.EmbeddedResource(
                type="resource", resource=types.TextResourceContents(uri="a://c", text="Three.\ud800")
            ),
            types.EmbeddedResource(
                type="resource", resource=types.BlobResourceContents(uri="a://d", blob=blob)
            ),
        ]
    )
    assert outcome_of(result, McpLimits()).text.splitlines() == [
        "One.",
        "[image, image/png, 30 bytes: not text, left out]",
        "[a resource of the server: a://b<U+202E>]",
        "Three.\ufffd",
        "[a file, unknown, 30 bytes: not text, left out]",
    ]
    assert outcome_of(types.CallToolResult(content=[]), LIMITS).text == "(It gave nothing back.)"
    long = types.CallToolResult(content=[types.TextContent(type="text", text="x" * 1000)], is_error=True)
    assert outcome_of(long, LIMITS).text == "x" * 200 + "\n[800 more characters were left out]"
    assert outcome_of(long, LIMITS).failed


def test_resources_are_cut_or_left_where_they_are_too_large():
    blob = base64.b64encode(b"1234567890-").decode()
    result = types.ReadResourceResult(
        contents=[
            types.TextResourceContents(uri="a://a", text="y" * 300),
            types.BlobResourceContents(uri="a://b", blob=blob),
            types.BlobResourceContents(uri="a://c", blob="%%%"),
        ],
    )
    text, large, broken = contents_of(result, LIMITS)
    assert (len(text.text), text.cut) == (200, True)
    assert (large.data, large.cut) == (b"", True)
    assert (broken.data, broken.cut) == (b"", False)


def test_a_prompt_with_two_voices_says_who_speaks():
    ask = types.PromptMessage(role="user", content=types.TextContent(type="text", text="Why?"))
    reply = types.PromptMessage(role="assistant", content=types.TextContent(type="text", text="So."))
    assert prompt_of([ask], LIMITS) == "Why?"
    assert prompt_of([ask, reply], LIMITS) == "user: Why?\n\nassistant: So."


def test_what_is_listed_is_harmless_and_not_too_much():
    listed = Listed("s", LIMITS)
    resources = [types.Resource(name=f"n{number}\n\u202e", uri=f"a://{number}") for number in range(3)]
    odd = types.Resource(name="odd", uri="a://\u202e")
    listed.add_resources([odd, *resources])
    assert listed.listing().resources == (
        McpResource("a://0", "n0 <U+202E>"),
        McpResource("a://1", "n1 <U+202E>"),
    )
    prompts = [types.Prompt(name=name, description="x\x1b" * 600) for name in ("a", "\u202e", "b", "c")]
    listed.add_prompts(prompts)
    (first, second) = listed.listing().prompts
    assert (first.name, second) == ("a", McpPrompt("b", first.description))
    assert len(first.description) == 500
    odd_ones, more = listed.listing().left_out[:2], listed.listing().left_out[2:]
    assert [note.split(":")[0] for note in odd_ones] == ["odd", "<U+202E>"]
    assert more == ("1 more resources than are used", "1 more prompts than are used")


def test_no_key_is_among_what_every_program_needs():
    assert not [name for name in NEEDED if "KEY" in name or "TOKEN" in name or "PROXY" in name]
