"""Tool definitions: values that can be compared, so that a change of tools is seen."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.tool import ApprovalRule, Decision, ToolDefinition, decide, plain_path


def test_a_tool_needs_only_its_name():
    assert ToolDefinition("read") == ToolDefinition("read", description="", schema_json="{}")


def test_tools_differ_in_any_part():
    tool = ToolDefinition("read", "reads", '{"type":"object"}')
    others = {replace(tool, name="ls"), replace(tool, description=""), replace(tool, schema_json="{}")}
    assert len({tool, replace(tool)} | others) == 4


# Rules of what a model may do: the first that fits decides, and nothing odd is ever allowed by a path.


DOCS = ApprovalRule(("write", "files__*"), "docs/**", "allow")
SECRETS = ApprovalRule(("*",), "secrets/**", "never")
ANY_WRITE = ApprovalRule(("write",), "", "allow")


def test_the_first_that_fits_decides():
    rules = (SECRETS, DOCS, ApprovalRule(("write",), "", "never"))
    assert decide(rules, "write", {"path": "docs/a.md", "content": "../x"}, "ask") == "allow"
    assert decide(rules, "write", {"path": "src/a.py"}, "ask") == "never"
    assert decide(rules, "files__write_file", {"path": "docs/deep/er/a.md"}, "ask") == "allow"
    assert decide(rules, "files__write_file", {"path": "src/a"}, "ask") == "ask"
    assert decide(rules, "github__close", {"number": 3}, "ask") == "ask"
    assert decide(rules, "read", {"path": "secrets/key"}, "allow") == "never"
    assert decide((), "read", {}, "allow") == "allow"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"path": ""},
        {"path": "docs/../secrets/key"},
        {"path": "/docs/a"},
        {"path": "~/docs/a"},
        {"path": "docs\\..\\..\\a"},
        {"path": "docs/a\x00b"},
        {"path": "docs/%2e%2e/a"},
        {"path": "docs/．．/a"},
        {"path": "docs/$HOME"},
        {"path": " docs/a"},
        {"path": 5},
        {"path": "docs/a", "elsewhere": "src/b"},
        {"path": "docs/a", "more": {"deep": ["b"]}},
        {"paths": ["docs/a", "src/b"]},
        {"source": "docs/a", "destination": "src/a"},
        {"path": "docs/a", "edits": [{"oldText": "x", "where": "b"}]},
        {"path": "docsx/a"},
    ],
)
def test_a_path_that_is_not_surely_there_is_not_allowed(arguments: Mapping[str, Any]):
    assert decide((DOCS,), "write", arguments, "ask") == "ask"


@pytest.mark.parametrize(
    "path",
    [
        "secrets/a",
        "secrets",
        ".",
        "./secrets//a",
        "SECRETS/a",
        "x/../secrets/a",
        "/home/ada/app/secrets/a",
        "/home/ada/app",
        "/home/ada/app/src/a",
        "/",
        "~",
        "a\\b",
    ],
)
def test_a_path_that_may_be_there_is_refused(path: str):
    """However it is written: an allowing rule after it must not be reached by an odd spelling."""
    assert decide((SECRETS, ANY_WRITE), "write", {"path": path, "content": ""}, "ask") == "never"


def test_a_path_elsewhere_is_not_refused():
    for path in ("src/a", "secretsx/a", "src"):
        assert decide((SECRETS, ANY_WRITE), "write", {"path": path}, "ask") == "allow", path
        assert (
            decide((SECRETS, ANY_WRITE), "write", {"note": f"look: {path.split('/')[0]}"}, "ask") == "allow"
        )
    rooted = ApprovalRule(("*",), "/home/ada/app/secrets/**", "never")
    assert decide((rooted, ANY_WRITE), "write", {"path": "/home/ada/app/src/a"}, "ask") == "allow"


@pytest.mark.parametrize(
    "arguments",
    [
        {"notebook_path": "secrets/key"},
        {"file_name": "secrets"},
        {"sourcePath": "./secrets/key"},
        {"items": ["a", "SECRETS/key"]},
        {"edits": [{"name": "secrets/key"}]},
        {"files": {"secrets/key": "words"}},
        {"command": "cat 'secrets/key'"},
        {"command": "cat <secrets/key;true"},
        {"where": "x/../secrets"},
        {"where": "/home/ada/app"},
        {"where": "a" * 5000},
    ],
)
def test_the_name_of_an_argument_lets_no_path_through(arguments: Mapping[str, Any]):
    assert decide((SECRETS, ANY_WRITE), "write", arguments, "ask") == "never"


def test_an_address_of_a_page_is_no_path():
    assert decide((SECRETS,), "fetch", {"uri": "https://example.com/secrets/a"}, "ask") == "ask"
    assert decide((DOCS,), "files__get", {"path": "docs/a", "uri": "https://example.com"}, "ask") == "ask"


def test_globs():
    def allowed(glob: str, path: str) -> bool:
        return decide((ApprovalRule(("t",), glob, "allow"),), "t", {"path": path}, "ask") == "allow"

    assert allowed("*.md", "a.md")
    assert not allowed("*.md", "docs/a.md")
    assert allowed("**/*.md", "a.md")
    assert allowed("**/*.md", "docs/b/a.md")
    assert allowed("docs/*/a?.md", "docs/x/ab.md")
    assert not allowed("docs/*/a.md", "docs/x/y/a.md")
    assert allowed("/home/ada/app/**", "/home/ada/app/a/b")
    assert not allowed("/home/ada/app/**", "work/a")
    assert allowed("a+(b)/**", "a+(b)/c")


def test_a_folder_that_may_hold_what_is_refused_is_refused_too():
    rule = ApprovalRule(("*",), "**/.env", "never")
    for path in (".", "src", "src/.env", "/anywhere/.env"):
        assert decide((rule,), "grep", {"path": path}, "allow") == "never", path
    assert decide((ApprovalRule(("*",), "a/*/key", "never"),), "rm", {"path": "a/b"}, "ask") == "never"
    assert decide((ApprovalRule(("*",), "a/*/key", "never"),), "rm", {"path": "b"}, "ask") == "ask"


STEPS = ["docs", "secrets", "a", "..", ".", "", "~", "DOCS", "%2e%2e", "é", "\u202e"]
PATHS = st.lists(st.sampled_from(STEPS), max_size=5).map("/".join)
DECISIONS: st.SearchStrategy[Decision] = st.sampled_from(["allow", "ask", "never"])


@given(PATHS, st.booleans())
def test_what_a_path_rule_allows_really_lies_there(path: str, absolute: bool):
    given_path = f"/{path}" if absolute else path
    if decide((DOCS,), "write", {"path": given_path}, "ask") == "allow":
        assert posixpath.normpath(given_path) == "docs" or posixpath.normpath(given_path).startswith("docs/")


@given(PATHS)
def test_what_lies_there_is_never_let_through(path: str):
    inside = posixpath.normpath(posixpath.join("/home/ada/app", path)).startswith("/home/ada/app/secrets")
    if path and inside:
        for name in ("path", "thing"):
            assert decide((SECRETS, ANY_WRITE), "write", {name: path}, "ask") == "never"


RULES = st.builds(
    ApprovalRule,
    st.lists(st.sampled_from(["write", "read", "*", "files__*"]), min_size=1, max_size=2).map(tuple),
    st.sampled_from(["", "docs/**", "**/a", "*"]),
    DECISIONS,
)


@given(st.lists(RULES, max_size=5), PATHS, DECISIONS)
def test_rules_after_the_one_that_decides_change_nothing(
    rules: list[ApprovalRule], path: str, default: Decision
):
    for tool in ("write", "files__x"):
        decided = decide(rules, tool, {"path": path}, default)
        last = ApprovalRule((tool,), "", decided)
        assert decide([*rules, last, ApprovalRule(("*",), "", "never")], tool, {"path": path}, default) in (
            decided,
            last.decision,
        )
        assert decide([ApprovalRule(("*",), "", "never"), *rules], tool, {"path": path}, default) == "never"


def test_a_pattern_of_many_stars_takes_no_time():
    rule = ApprovalRule(("*" * 60 + "x",), "**/" * 40 + "*a*a*a*b", "allow")
    assert decide((rule,), "a" * 200, {"path": "a/" * 100}, "ask") == "ask"


def test_plain_paths():
    assert plain_path("./a//b/") == "a/b"
    assert plain_path("file:///home/ada/app/a") == "/home/ada/app/a"
    assert plain_path("../a") is None
