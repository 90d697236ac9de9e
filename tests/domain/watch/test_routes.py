"""Each API has one address, whatever a request says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.domain.watch.exchange import WatchedFormat
from workbench.domain.watch.routes import Routes, Way, format_of, is_aside, rooted, vendors

OWN = Routes(
    {
        "anthropic": "https://gate.example/a",
        "openai": "https://gate.example/o/v1",
        "ollama": "http://127.0.0.1:11434",
        "gemini": "https://g.example",
    }
)


@pytest.mark.parametrize(
    ("target", "url", "path"),
    [
        ("/anthropic/v1/messages?beta=true", "https://gate.example/a/v1/messages?beta=true", "/v1/messages?beta=true"),
        ("/openai/v1/chat/completions", "https://gate.example/o/v1/chat/completions", "/v1/chat/completions"),
        ("/openai/chat/completions", "https://gate.example/o/v1/chat/completions", "/chat/completions"),
        ("/ollama/api/chat", "http://127.0.0.1:11434/api/chat", "/api/chat"),
        ("/ollama/v1/chat/completions", "http://127.0.0.1:11434/v1/chat/completions", "/v1/chat/completions"),
        ("/gemini/v1beta/models/m:generateContent", "https://g.example/v1beta/models/m:generateContent",
         "/v1beta/models/m:generateContent"),
        ("/anthropic/", "https://gate.example/a/", "/"),
        ("/anthropic", "https://gate.example/a", "/"),
        ("/v1/messages", "https://gate.example/a/v1/messages", "/v1/messages"),
        ("/v1/responses", "https://gate.example/o/v1/responses", "/v1/responses"),
        ("/api/tags", "http://127.0.0.1:11434/api/tags", "/api/tags"),
        ("/v1beta/models", "https://g.example/v1beta/models", "/v1beta/models"),
    ],
)  # fmt: skip
def test_the_first_part_of_the_path_names_the_api_else_the_path_itself(target: str, url: str, path: str):
    way = OWN.way(target, {})
    assert way is not None
    assert replace(way, base="") == Way(url, path, format_of(path.partition("?")[0]))
    assert url.startswith(way.base)


def test_where_two_apis_have_a_path_the_header_of_one_tells():
    anthropic = OWN.way("/v1/models", {"anthropic-version": "2023-06-01"})
    openai = OWN.way("/v1/models", {})
    assert (anthropic and anthropic.url, openai and openai.url) == (
        "https://gate.example/a/v1/models",
        "https://gate.example/o/v1/models",
    )


@pytest.mark.parametrize("target", ["/", "/etc/passwd", "/v2/x", "/anthropicx/v1/messages"])
def test_nothing_is_sent_where_no_api_is_named(target: str):
    assert OWN.way(target, {}) is None


def test_all_to_one_address():
    routes = Routes({}, "https://gate.example")
    assert [one and one.url for one in (routes.way("/v1/messages", {}), routes.way("/", {}))] == [
        "https://gate.example/v1/messages",
        "https://gate.example/",
    ]


def test_a_variable_that_leads_to_the_watch_itself_means_the_vendor():
    """The line for the shell stands in its settings: whatever is started there has it, the watch included."""
    own = {"anthropic": "http://127.0.0.1:4040/anthropic", "openai": "http://localhost:4040/openai/v1"}
    routes = Routes({**OWN.bases, **own})  # type: ignore[dict-item]
    assert routes.avoiding(4040).bases == {
        **OWN.bases,
        "anthropic": vendors()["anthropic"],
        "openai": vendors()["openai"],
    }
    assert routes.avoiding(404) == routes
    assert [Routes(to=f"http://localhost:{port}").leads_to(4040) for port in (4040, 404)] == [True, False]


def test_what_leads_clients_here():
    everything = {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1/anthropic",
        "OPENAI_BASE_URL": "http://127.0.0.1:1/openai/v1",
        "OPENAI_API_BASE": "http://127.0.0.1:1/openai/v1",
        "OLLAMA_HOST": "http://127.0.0.1:1/ollama",
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1/gemini",
    }
    assert Routes().variables("http://127.0.0.1:1") == everything
    assert Routes().plain_variables("http://127.0.0.1:1") == everything
    named = Routes(to="https://api.openai.com")
    assert named.plain_variables("http://127.0.0.1:1") == {
        "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
        "OPENAI_API_BASE": "http://127.0.0.1:1/v1",
    }
    assert vendors()["openai"] == "https://api.openai.com/v1"
    assert rooted("https://gate.example/v1/") == rooted("https://gate.example") == "https://gate.example"


@pytest.mark.parametrize(
    ("path", "known", "aside"),
    [
        ("/v1/messages", "anthropic", False),
        ("/v1/messages/count_tokens", None, True),
        ("/v1/responses/", "responses", False),
        ("/v1/models/gpt", None, True),
        ("/v1beta/models/m:streamGenerateContent", "gemini", False),
        ("/v1beta/models/m:countTokens", None, True),
        ("/v1/else", None, False),
    ],
)
def test_formats(path: str, known: WatchedFormat | None, aside: bool):
    assert (format_of(path), is_aside(f"{path}?x=1")) == (known, aside)
