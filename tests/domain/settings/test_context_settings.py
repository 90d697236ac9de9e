"""Settings: every default is the trajectory contract's."""

from __future__ import annotations

from dataclasses import asdict, replace

from workbench.domain.settings.context_settings import ContextSettings, PersonaSources, retooled
from workbench.domain.tool import ToolDefinition


def test_the_defaults_are_the_contract_s():
    assert asdict(ContextSettings()) == {
        "model": "gpt-4o",
        "counter": "exact",
        "context_window": None,
        "reserved_output_tokens": None,
        "cache_lifetime": None,
        "system_prompt": "",
        "persona": {
            "default": "",
            "workspace": "",
            "user": "",
            "workspace_joining": None,
            "user_joining": None,
        },
        "persona_mode": "replace",
        "project_instructions": "",
        "user_memory": "",
        "attachment_budget_tokens": None,
        "history": {
            "threshold": 0.8,
            "headroom": None,
            "keep_last_n_assistant": 10,
            "last_n_messages": None,
            "max_tokens": None,
            "recall": False,
            "recall_tokens": None,
            "recall_chats": False,
            "when_full": "placeholders",  # for trajectories that say nothing; in a new chat exchanges leave
        },
        "freshness": "refresh",
        "compaction": {
            "verbatim_chars": 5000,
            "section_chars": 500,
            "max_sections": 20,
            "tool_results": "placeholder",  # for trajectories that say nothing; a new chat has previews
            "verbatim_kinds": frozenset(),
            "summary_kinds": None,
        },
        "sections": {"by_relevance": False, "tokens": None, "folder_share": 0.25},
        "library": {"detached": "compact"},
        "layout": "layered",
        "edits": "full",
        "tell_undone": False,
        "parameters": dict.fromkeys(
            (
                "temperature",
                "top_p",
                "stop",
                "seed",
                "reasoning_effort",
                "response_format",
                "top_k",
                "min_p",
                "frequency_penalty",
                "presence_penalty",
                "extra",
                "probabilities",
            )
        ),
        "tools": (),
        "tools_on_demand": False,
        "tool_guidelines": "",
        "filters": {
            "include_system": True,
            "include_environment": True,
            "include_kinds": None,
            "exclude_kinds": frozenset(),
            "include_only": None,
            "include_memory": True,
        },
    }


def test_the_most_specific_persona_that_says_anything_is_used():
    assert ContextSettings(persona=PersonaSources("default", "workspace", "user")).persona_text == "user"
    assert ContextSettings(persona=PersonaSources("default", "workspace")).persona_text == "workspace"
    assert ContextSettings(persona=PersonaSources("default")).persona_text == "default"
    assert ContextSettings(persona=PersonaSources()).persona_text == ""


def test_tools_come_and_go_with_the_shipped_word_about_them_and_leave_a_persona_of_ones_own_alone():
    tool = ToolDefinition("read", "Reads.", "{}")
    plain = ContextSettings(persona=PersonaSources(default="Be kind."))
    tooled = replace(
        plain, persona=PersonaSources(default="Be kind. Look."), tools=(tool,), tool_guidelines="First."
    )
    chat = replace(plain, model="lab:m")
    with_tools = retooled(chat, tooled, plain)
    assert with_tools == replace(tooled, model="lab:m")
    assert retooled(with_tools, plain, tooled) == chat
    own = replace(chat, persona=PersonaSources(default="Mine."))
    assert retooled(own, tooled, plain).persona.default == "Mine."


def test_personas_may_add_to_each_other_all_or_one_by_one():
    three = PersonaSources("default", "workspace", "user")
    assert ContextSettings(persona=three, persona_mode="add").persona_text == "default\n\nworkspace\n\nuser"
    adding = PersonaSources("default", "workspace", "user", user_joining="add")
    assert ContextSettings(persona=adding).persona_text == "workspace\n\nuser"
    assert adding.parts("add") == (("default", "default"), ("workspace", "workspace"), ("user", "user"))
    assert PersonaSources("default", "", "user").parts("add") == (("default", "default"), ("user", "user"))
