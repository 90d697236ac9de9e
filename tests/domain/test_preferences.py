"""Settings: every default is the trajectory contract's."""

from __future__ import annotations

from dataclasses import asdict

from workbench.domain.preferences import ContextSettings, PersonaSources


def test_the_defaults_are_the_contract_s():
    assert asdict(ContextSettings()) == {
        "model": "gpt-4o",
        "counter": "exact",
        "context_window": None,
        "reserved_output_tokens": None,
        "system_prompt": "",
        "persona": {"default": "", "workspace": "", "user": ""},
        "project_instructions": "",
        "user_memory": "",
        "attachment_budget_tokens": None,
        "history": {
            "threshold": 0.8,
            "headroom": 0.75,
            "keep_last_n_assistant": 10,
            "last_n_messages": None,
            "max_tokens": None,
        },
        "freshness": "refresh",
        "compaction": {"verbatim_chars": 5000, "section_chars": 500, "max_sections": 20},
        "tools": (),
        "tool_guidelines": "",
        "filters": {
            "include_system": True,
            "include_environment": True,
            "include_kinds": None,
            "exclude_kinds": frozenset(),
            "include_only": None,
        },
    }


def test_the_most_specific_persona_that_says_anything_is_used():
    assert PersonaSources("default", "workspace", "user").text == "user"
    assert PersonaSources("default", "workspace").text == "workspace"
    assert PersonaSources("default").text == "default"
    assert PersonaSources().text == ""
