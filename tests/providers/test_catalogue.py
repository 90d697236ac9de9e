"""Models are found by the longest entry their name starts with, and a broken file says where it is broken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.turns import fake_builder, user
from workbench.context.clean.neutralise import neutralised
from workbench.domain.errors import InvalidInput
from workbench.domain.model import PictureRule
from workbench.domain.parameters import Parameters
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.providers.catalogue import (
    Catalogue,
    load_catalogue,
    normalised,
)
from workbench.providers.prices import load_prices
from workbench.providers.tokenizer import RANK_FILES

SHIPPED = load_catalogue(Path(__file__).resolve().parents[2] / "resources" / "models.toml")

UNKNOWN = """
format = "workbench-models/1"
[unknown]
provider = "unknown"
context_window_tokens = 32768
tokenizer = "o200k_base"
exact = false
message_tokens = 3
reply_tokens = 3
as_of = "2026-11-15"
"""
FAMILY = """
[[family]]
provider = "p"
tokenizer = "o200k_base"
exact = true
message_tokens = 3
reply_tokens = 3
as_of = "2026-11-15"
"""


@pytest.mark.parametrize(
    ("asked", "entry", "window"),
    [
        ("gpt-4o", "gpt-4o", 128_000),
        ("gpt-4o-2024-08-06", "gpt-4o", 128_000),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini", 128_000),
        ("gpt-4", "gpt-4", 8_192),
        ("gpt-4-0613", "gpt-4", 8_192),
        ("gpt-4-32k-0613", "gpt-4-32k", 32_768),
        ("gpt-4-turbo-2024-04-09", "gpt-4-turbo", 128_000),
        ("gpt-4-1106-preview", "gpt-4-1106", 128_000),
        ("gpt-4.1-nano", "gpt-4.1-nano", 1_047_576),
        ("gpt-3.5-turbo", "gpt-3.5-turbo", 16_385),
        ("gpt-5-mini", "gpt-5-mini", 400_000),
        ("o1", "o1", 200_000),
        ("o3-mini", "o3-mini", 200_000),
        ("o4-mini", "o4-mini", 200_000),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet", 200_000),
        ("claude-not-yet-known", "claude", 200_000),
        ("gemini-2.5-flash-preview", "gemini-2.5-flash", 1_048_576),
        ("gemini-2.5-other", "gemini-2.5", 1_048_576),
        ("gpt-5-pro-2025-10-06", "gpt-5-pro", 400_000),
        ("claude-3-opus-20240229", "claude-3-opus", 200_000),
        ("deepseek-chat", "deepseek-chat", 128_000),
        ("builtin", "builtin", 8_192),
        ("llama3.2:1b", "llama3.2", 131_072),
        ("GPT-4o", "gpt-4o", 128_000),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5", 200_000),
    ],
)
def test_the_longest_entry_at_a_word_boundary_wins(asked: str, entry: str, window: int):
    card = SHIPPED.find(asked)
    assert (card.name, card.context_window_tokens) == (entry, window)


@pytest.mark.parametrize(
    ("asked", "entry", "provider", "cache_rules"),
    [
        ("openai:gpt-4o", "gpt-4o", "openai", "openai"),
        ("anthropic:claude-opus-4-5", "claude-opus-4-5", "anthropic", "anthropic"),
        ("ollama:llama3.2:1b", "llama3.2", "ollama", "ollama"),
        ("ollama:mistral", "mistral", "ollama", "ollama"),
        ("server:http://127.0.0.1:8080/v1#Qwen2.5-7B", "qwen2.5", "server", None),
        ("gguf:/models/Llama-3.2-1B-Q4_K_M.gguf", "llama-3.2", "gguf", "llamacpp"),
        (r"gguf:C:\models\SmolLM2-135M.GGUF", "smollm2", "gguf", "llamacpp"),
        ("ft:gpt-4o-mini-2024-07-18:acme::1", "gpt-4o-mini", "openai", "openai"),
        ("builtin", "builtin", "builtin", "llamacpp"),
    ],
)
def test_a_prefix_says_who_serves_the_model(asked: str, entry: str, provider: str, cache_rules: str):
    card = SHIPPED.find(asked)
    assert (card.name, card.provider, card.cache_rules) == (entry, provider, cache_rules)


@pytest.mark.parametrize(
    "asked", ["", "nobody-knows", "gpt-4omni", "server:http://127.0.0.1:8080", "openai:new"]
)
def test_an_unknown_model_gets_a_cautious_card(asked: str):
    card = SHIPPED.find(asked)
    assert (card.name, card.context_window_tokens, card.tokenizer, card.exact) == (
        asked,
        32_768,
        "o200k_base",
        False,
    )
    assert (card.max_output_tokens, card.cache_rules) == (None, None)


def test_only_openai_models_are_counted_exactly():
    assert {card.provider for card in SHIPPED.cards.values() if card.exact} == {"openai", "azure"}
    assert not SHIPPED.find("builtin").exact
    assert SHIPPED.find("claude-3").tokenizer == "cl100k_base"


def test_the_built_in_model_counts_with_its_own_server():
    card = SHIPPED.find("builtin")
    assert (card.tokenizer, card.exact, card.tools, card.prefill) == ("server:builtin", False, False, True)


def test_every_model_file_has_a_tokenizer_of_its_own():
    """Counts are kept by that name; two files that share one would count with each other's vocabulary."""
    one, other = (SHIPPED.find(f"gguf:/models/{name}.gguf") for name in ("llama-3.2-1b", "nobody-knows"))
    assert one.tokenizer == "server:gguf:/models/llama-3.2-1b.gguf"
    assert other.tokenizer == "server:gguf:/models/nobody-knows.gguf"


def test_other_models_know_tools_and_begin_their_answers_themselves():
    card = SHIPPED.find("gpt-4o")
    assert (card.tools, card.prefill) == (True, False)


@pytest.mark.parametrize(
    ("asked", "continues"),
    [
        ("anthropic:claude-3-5-haiku", True), ("anthropic:claude-sonnet-4-5-20250929", True),
        ("claude-opus-4-5", True), ("anthropic:claude-sonnet-4-6", False), ("anthropic:claude-opus-5", False),
        ("openrouter:anthropic/claude-sonnet-4.5", False), ("openai:gpt-4.1-mini", False), ("ollama:llama3.2", True),
        ("gguf:/models/a.gguf", True), ("completion:http://127.0.0.1:1#a", True), ("gemini:gemini-3-pro", False),
        ("server:http://127.0.0.1:1/v1#claude-sonnet-4-5", False),
    ],
)  # fmt: skip
def test_which_models_go_on_with_a_begun_answer(asked: str, continues: bool):
    """Claude refuses it from 4.6 on; somebody else's server is asked."""
    assert SHIPPED.find(asked).prefill is continues


@pytest.mark.parametrize(
    ("asked", "effort", "reason"),
    [
        ("openai:gpt-4.1", None, ""), ("openai:o3", None, "reasoning models report no"),
        ("openai:gpt-5.2", "none", ""), ("openai:gpt-5.2", "high", "without reasoning only"),
        ("anthropic:claude-sonnet-4-5", None, "Anthropic reports no"), ("ollama:llama3.2", None, ""),
        ("builtin", None, ""), ("gemini:gemini-3-pro", None, "Gemini"), ("mistral:mistral-large", None, "Mistral"),
    ],
)  # fmt: skip
def test_which_models_report_probabilities(asked: str, effort: Any, reason: str):
    card = SHIPPED.find(asked)
    given = Parameters(reasoning_effort=effort, probabilities=True)
    unsent = {one.name: one.reason for one in card.parameters.unsent(given)}
    assert reason in unsent.get("probabilities", "") if reason else "probabilities" not in unsent


def test_framing_is_openais_recipe():
    card = SHIPPED.find("gpt-4o")
    assert (card.message_tokens, card.reply_tokens) == (3, 3)
    assert SHIPPED.find("gpt-3.5-turbo-0301").message_tokens == 4


def test_models_older_than_the_prompt_cache_have_none():
    assert SHIPPED.find("gpt-4").cache_rules is None
    assert SHIPPED.find("gpt-5.6").cache_rules == "openai-5.6"


def test_every_shipped_card_is_dated_and_can_be_counted():
    for card in [*SHIPPED.cards.values(), SHIPPED.unknown]:
        assert card.tokenizer in RANK_FILES or card.name == "builtin"
        assert card.as_of >= "2026"
        assert card.max_output_tokens is None or card.max_output_tokens <= card.context_window_tokens


def test_a_model_may_override_its_family(tmp_path: Path):
    models = 'models = [{ name = "m", context_window_tokens = 10, exact = false, as_of = "2027-01-01" }]'
    path = tmp_path / "models.toml"
    path.write_text(UNKNOWN + FAMILY + models)
    card = load_catalogue(path).find("m-2")
    assert (card.provider, card.exact, card.as_of, card.max_output_tokens) == ("p", False, "2027-01-01", None)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "format: missing"),
        ("x = ", "the model catalogue cannot be read: Invalid value"),
        ('format = "workbench-models/1"', "unknown: missing"),
        (
            UNKNOWN.replace("32768", '"big"'),
            'unknown.context_window_tokens: expected an integer >= 1, got "big"',
        ),
        (UNKNOWN.replace("32768", "0"), "unknown.context_window_tokens: expected an integer >= 1, got 0"),
        (UNKNOWN.replace("false", "0"), "unknown.exact: expected true or false, got 0"),
        (
            UNKNOWN.replace("2026-11-15", "lately"),
            "unknown.as_of: expected a date such as 2026-01-31, got 'lately'",
        ),
        (UNKNOWN + "colour = 1", "unknown.colour: unknown field"),
        (UNKNOWN + "cache_rules = 1", "unknown.cache_rules: expected a string, got 1"),
        (UNKNOWN + "tools = 1", "unknown.tools: expected true or false, got 1"),
        (UNKNOWN + 'prefill = "no"', 'unknown.prefill: expected true or false, got "no"'),
        (UNKNOWN + "images = 1", "unknown.images: expected true or false, got 1"),
        (UNKNOWN + "pictures = 1", "unknown.pictures: expected an object, got 1"),
        (
            UNKNOWN + 'pictures = { rule = "weight" }',
            'unknown.pictures.rule: expected one of "tiles", "patches", "pixels", got "weight"',
        ),
        (
            UNKNOWN + 'pictures = { rule = "tiles", base = 1 }',
            "unknown.pictures.base: unknown field",
        ),
        (
            UNKNOWN + 'pictures = { rule = "pixels", pixels_per_token = 0 }',
            "unknown.pictures.pixels_per_token: expected an integer >= 1, got 0",
        ),
        (UNKNOWN + "family = 1", "unknown.family: unknown field"),
        (UNKNOWN + FAMILY, "family[0].models: missing"),
        (UNKNOWN + FAMILY + "models = [1]", "family[0].models[0]: expected an object, got 1"),
        (
            UNKNOWN + FAMILY + "models = [{ context_window_tokens = 1 }]",
            "family[0].models[0].name: missing",
        ),
        (
            UNKNOWN + FAMILY + 'models = [{ name = "m" }]',
            "family[0].models[0].context_window_tokens: missing",
        ),
        (UNKNOWN + "[served_by]\nx = { exact = true }", "served_by.x.exact: unknown field"),
        (UNKNOWN + "[served_by]\nx = 1", "served_by.x: expected an object, got 1"),
        (
            UNKNOWN + '[served_by]\nx = { tokenizer = "y" }',
            "served_by.x.tokenizer: expected one of cl100k_base",
        ),
        (
            UNKNOWN + "[parameters.x]\nrefuses = { warmth = 'no' }",
            "parameters.x.refuses.warmth: expected one of",
        ),
        (
            UNKNOWN + "[parameters.x]\nrefuse = {}",
            'parameters.x.refuse: unknown field; did you mean "refuses"?',
        ),
        (
            UNKNOWN + '[served_by]\nx = { parameters = "y" }',
            "served_by.x.parameters: there are no rules of that name",
        ),
        (
            UNKNOWN + "[famly]",
            'famly: unknown field; did you mean "family"?',
        ),
        (
            UNKNOWN.replace("o200k_base", "p50k_base"),
            "unknown.tokenizer: expected one of cl100k_base, o200k_base, server:{name}, got 'p50k_base'",
        ),
    ],
)
def test_a_broken_file_names_the_field(tmp_path: Path, content: str, complaint: str):
    path = tmp_path / "models.toml"
    path.write_text(content)
    with pytest.raises(InvalidInput) as caught:
        load_catalogue(path)
    assert str(caught.value).startswith(f"{path}: {complaint}")


def test_how_pictures_are_counted_is_data(tmp_path: Path):
    """Who has a model of their own, or newer figures, writes them down; no code changes."""
    rule = 'pictures = { rule = "pixels", pixels_per_token = 784, longest_edge = 2000 }'
    models = [
        f'{{ name = "m", context_window_tokens = 10, {rule} }}',
        '{ name = "n", context_window_tokens = 10, images = false }',
        '{ name = "o", context_window_tokens = 10, pictures = {} }',
    ]
    found = own(tmp_path, f'format = "workbench-models/1"\n{FAMILY}models = [{", ".join(models)}]')
    assert found.find("m").pictures == PictureRule("pixels", pixels_per_token=784, longest_edge=2000)
    assert (found.find("m").images, found.find("n").images) == (True, False)
    assert found.find("o").pictures is None


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"nowhere\.toml: the model catalogue cannot be read"):
        load_catalogue(tmp_path / "nowhere.toml")


def test_every_model_with_a_price_of_its_own_has_a_card_of_its_own():
    """Without one, what is shown as the model is another one's name."""
    prices = load_prices(Path(__file__).resolve().parents[2] / "resources" / "prices.toml")
    assert [name for _, name in prices.prices if name not in SHIPPED.cards] == []


def own(tmp_path: Path, content: str) -> Catalogue:
    path = tmp_path / "models.toml"
    path.write_text(content)
    return load_catalogue(path, SHIPPED)


def test_a_catalogue_of_ones_own_wins_over_entries_of_the_same_name(tmp_path: Path):
    models = ", ".join(
        f'{{ name = "{name}", context_window_tokens = {n} }}' for name, n in (("GPT-4.1", 10), ("mine", 20))
    )
    found = own(tmp_path, f'format = "workbench-models/1"\n{FAMILY}models = [{models}]')
    windows = {name: found.find(name).context_window_tokens for name in ("gpt-4.1", "mine-2", "gpt-4o")}
    assert windows == {"gpt-4.1": 10, "mine-2": 20, "gpt-4o": 128_000}
    assert (found.unknown, found.served_by) == (SHIPPED.unknown, SHIPPED.served_by)


def test_a_catalogue_of_ones_own_may_say_who_serves_and_what_is_assumed(tmp_path: Path):
    found = own(
        tmp_path, UNKNOWN.replace("32768", "1000") + "[served_by]\nLab = { cache_rules = 'llamacpp' }"
    )
    card = found.find("lab:new")
    assert (card.provider, card.cache_rules, card.context_window_tokens) == ("lab", "llamacpp", 1000)
    assert found.find("ollama:llama3.2").cache_rules == "ollama"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (FAMILY, "format: missing"),
        (
            'format = "workbench-models/1"\n'
            + FAMILY
            + 'models = [{ name = "m", context_window_tokens = -1 }]',
            "family[0].models[0].context_window_tokens: expected an integer",
        ),
        ('format = "workbench-models/1"\nunknown = 1', "unknown: expected an object, got 1"),
    ],
)
def test_what_is_wrong_with_ones_own_is_said_with_its_place(tmp_path: Path, content: str, complaint: str):
    with pytest.raises(InvalidInput) as caught:
        own(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'models.toml'}: {complaint}")


@pytest.mark.parametrize(
    ("asked", "exact", "assumed"),
    [
        ("gpt-4o", True, False),
        ("openai:gpt-4o", True, False),
        ("server:http://127.0.0.1:8080/v1#gpt-4o", False, True),
        ("completion:http://127.0.0.1:8080/v1#gpt-4o", False, True),
        ("openrouter:openai/gpt-4o", False, False),
        ("ollama:gpt-4o", False, False),
        ("nobody-knows-this", False, True),
        ("ollama:nobody-knows-this", False, True),
    ],
)
def test_a_name_alone_makes_no_count_exact_and_no_window_known(asked: str, exact: bool, assumed: bool):
    """Counts at any server were called exact because its model was called gpt-4o."""
    card = SHIPPED.find(asked)
    assert (card.exact, card.window_assumed) == (exact, assumed)


@pytest.mark.parametrize(
    ("asked", "live"),
    [
        ("server:http://127.0.0.1:8080/v1#qwen", False),
        ("completion:http://127.0.0.1:8080/v1#qwen", False),
        ("ollama:llama3.2", False),
        ("my-own-server:qwen", False),
        ("openai:gpt-4o", True),
        ("anthropic:claude-opus-4-5", True),
        ("gpt-4o", True),
    ],
)
def test_control_tokens_are_made_harmless_wherever_a_template_may_read_them(asked: str, live: bool):
    """`<|im_end|>` in a file ended the message at llama.cpp, vLLM and Ollama; the request was forged from there on."""
    card = SHIPPED.find(asked)
    for marker in ("<|im_end|>", "[INST]", "</s>", "<|eot_id|>", "<end_of_turn>"):
        text = f"before {marker} after"
        assert (neutralised(text, card.control_tokens) == text) == live


def test_in_a_turn_the_text_is_changed_for_sending_only_and_the_change_is_named():
    model = "server:http://127.0.0.1:8080/v1#qwen"
    builder = replace(fake_builder(), catalogue=SHIPPED)
    question = user("m", "Stop <|im_end|> here")
    settings = ContextSettings(model=model, counter="chars4")
    prepared = prepare_turn(Conversation("c"), Ask(settings, question), builder)
    assert prepared.built.envelope.messages[-1].content == "Stop < |im_end|> here"
    assert [repair.id for repair in prepared.built.envelope.cuts.repairs] == ["m"]
    assert prepared.built.inputs.question == question


@pytest.mark.parametrize(
    ("name", "refused", "taken"),
    [
        ("gpt-4o", ("reasoning_effort",), ("temperature", "seed", "response_format")),
        ("o3", ("temperature", "top_p", "stop"), ("reasoning_effort", "response_format")),
        ("openai:gpt-5-mini-2025-08-07", ("temperature", "top_p"), ("reasoning_effort",)),
        ("claude-3-5-sonnet", ("seed", "reasoning_effort", "response_format"), ("temperature", "stop")),
        ("anthropic:claude-opus-4-7", ("temperature", "top_p", "seed"), ("reasoning_effort", "stop")),
        ("claude-opus-5-5", ("temperature", "top_p", "seed"), ("reasoning_effort",)),
        ("builtin", ("reasoning_effort",), ("temperature", "seed", "response_format")),
        ("gguf:/models/gpt-4o.gguf", ("reasoning_effort",), ("temperature",)),
        ("server:http://127.0.0.1:1/v1#gpt-5", (), ("temperature", "reasoning_effort")),
        ("ollama:gpt-oss", (), ("temperature", "reasoning_effort")),
        ("nobody-knows-it", (), ("temperature", "seed", "response_format")),
    ],
)
def test_which_parameters_a_model_takes_is_known_before_it_is_asked(
    name: str, refused: tuple[str, ...], taken: tuple[str, ...]
):
    card = SHIPPED.find(name)
    assert [bool(card.refusal(one)) for one in (*refused, *taken)] == [True] * len(refused) + [False] * len(
        taken
    )


def test_fine_parameters_are_taken_where_the_provider_has_them():
    fine = ("top_k", "min_p", "frequency_penalty", "presence_penalty")
    taken = {
        "openai:gpt-4o": fine[2:], "openai:gpt-5": (), "anthropic:claude-sonnet-4-5": fine[:1],
        "anthropic:claude-opus-4-8": (), "mistral:mistral-large": fine[2:], "deepseek:deepseek-chat": fine[2:],
        "deepseek:deepseek-reasoner": (), "gemini:gemini-2.5-pro": (fine[0], *fine[2:]), "ollama:llama3.2": fine,
        "builtin": fine,
        "server:http://localhost:8000/v1#m": fine,
    }  # fmt: skip
    for name, wanted in taken.items():
        card = SHIPPED.find(name)
        assert tuple(one for one in fine if not card.refusal(one)) == wanted, name


def test_names_are_compared_without_case_and_dots():
    assert normalised("GPT-4.1") == normalised("gpt-4-1")
