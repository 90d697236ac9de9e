"""The file stays its owner's: comments and unknown entries are kept, a broken one is left alone, keys do not get in."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from workbench.domain.errors import InvalidInput
from workbench.domain.model import ModelFacts
from workbench.domain.request import Timeouts
from workbench.domain.settings.app_preferences import Preferences, SavingOff
from workbench.settings.form import write_form
from workbench.settings.key_like import key_like
from workbench.settings.settings_file import (
    FILE_NAME,
    GUARDED,
    MOST_BYTES,
    SettingsFile,
    apply,
    edited,
    misplaced,
    near_guarded,
    near_inside,
    take_out_keys,
)

WRITTEN = """\
# My settings.
redaction = "replace"   # better safe

colour = "green"        # for later
model = "openai:gpt-4o"

[context.history]
headroom = 0.5          # half
threshold = false       # never trim

[servers]
home = "http://127.0.0.1:8080/v1"

[context]
counter = "chars4"
"""


def file_with(folder: Path, text: str | bytes) -> SettingsFile:
    (folder / FILE_NAME).write_bytes(text if isinstance(text, bytes) else text.encode())
    return SettingsFile(folder)


def text_of(folder: Path) -> str:
    return (folder / FILE_NAME).read_text(encoding="utf-8")


def test_a_file_written_by_hand_is_read(tmp_path: Path):
    store = file_with(tmp_path, WRITTEN)
    found = store.load()
    assert found == Preferences(
        redaction="replace",
        model="openai:gpt-4o",
        context={"history": {"headroom": 0.5, "threshold": None}, "counter": "chars4"},
        servers={"home": "http://127.0.0.1:8080/v1"},
    )
    (problem,) = store.problems
    assert str(problem) == f"{tmp_path / FILE_NAME}:4:1: colour is not a setting; it is left as it is."
    assert not problem.blocks


def test_saving_changes_only_what_changed(tmp_path: Path):
    store = file_with(tmp_path, WRITTEN)
    loaded = store.load()
    store.save(loaded)
    assert text_of(tmp_path) == WRITTEN
    store.save(replace(loaded, model="builtin", servers={}, context={"history": {"headroom": 0.75}}))
    after = text_of(tmp_path)
    for line in (
        "# My settings.",
        'redaction = "replace"   # better safe',
        'colour = "green"        # for later',
    ):
        assert line in after
    assert "0.75          # half" in after
    assert "home" not in after
    assert "threshold" not in after
    assert SettingsFile(tmp_path).load() == replace(
        loaded, model="builtin", servers={}, context={"history": {"headroom": 0.75}}
    )


def test_what_was_edited_since_it_was_read_stays(tmp_path: Path):
    """A window that is open for days must not undo what its owner wrote into the file meanwhile."""
    store = file_with(tmp_path, 'model = "one"\n')
    loaded = store.load()
    (tmp_path / FILE_NAME).write_text('model = "two"\npersona = "terse"\n')
    store.save(replace(loaded, max_tool_rounds=2))
    assert store.load() == Preferences(model="two", persona="terse", max_tool_rounds=2)


def test_a_new_file_holds_what_differs_and_says_where_keys_belong(tmp_path: Path):
    store = SettingsFile(tmp_path / "not" / "there" / "yet")
    store.save(Preferences(persona="terse", timeouts=Timeouts(first_token_s=5.0)))
    lines = text_of(tmp_path / "not" / "there" / "yet").splitlines()
    assert lines[0].startswith("# Settings of Context Workbench. Keys do not belong here")
    assert [line for line in lines[1:] if line] == [
        'persona = "terse"', "[timeouts]", "connect_s = 10.0", "first_token_s = 5.0", "idle_s = 60.0",
    ]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="modes are Unix's")
def test_only_its_owner_can_read_it(tmp_path: Path):
    store = SettingsFile(tmp_path / "data")
    store.save(Preferences(model="x"))
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    (tmp_path / "data" / FILE_NAME).chmod(0o644)
    store.save(Preferences(model="y"))
    assert (tmp_path / "data" / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert [one.name for one in (tmp_path / "data").iterdir()] == [FILE_NAME]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_stays_a_link(tmp_path: Path):
    """Some keep their settings elsewhere, under version control."""
    (tmp_path / "elsewhere.toml").write_text('model = "one"\n')
    (tmp_path / FILE_NAME).symlink_to(tmp_path / "elsewhere.toml")
    store = SettingsFile(tmp_path)
    store.save(replace(store.load(), model="two"))
    assert (tmp_path / FILE_NAME).is_symlink()
    assert (tmp_path / "elsewhere.toml").read_text() == 'model = "two"\n'


BROKEN = {
    "no value": ("model = ", 1, 9),
    "twice": ('model = "a"\nmodel = "b"\n', 2, 12),
    "no UTF-8": (b"# x\n\xff\xfe", 2, 1),
    "NUL": (b"model = \x00", 1, 9),
    "too deep": ("a = " + "[" * 3000, 1, None),
    "too large": ("# x\n" * MOST_BYTES, 0, 0),
    "same table": ("[context]\n[context]\n", 2, 9),
}


@pytest.mark.parametrize(("broken", "line", "column"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_blocks_and_is_left_as_it_is(
    tmp_path: Path, broken: str | bytes, line: int, column: int | None
):
    """It was renamed once, and the next call sent past the addresses in it without a word."""
    content = broken if isinstance(broken, bytes) else broken.encode()
    for _ in range(2):
        store = file_with(tmp_path, broken)
        assert store.load() == Preferences()
        (problem,) = store.problems
        assert (problem.blocks, problem.line) == (True, line)
        assert column in (problem.column, None)
        with pytest.raises(SavingOff, match="Nothing was saved, and the file was not changed"):
            store.save(Preferences(model="x"))
        assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [(FILE_NAME, content)]


def test_a_file_that_broke_since_it_was_read_is_not_overwritten(tmp_path: Path):
    store = file_with(tmp_path, 'model = "one"\npersona = "terse"\n')
    loaded = store.load()
    for half in ("half a li", "persona = 5\n", 'opanai_url = "https://gateway.example"\n'):
        (tmp_path / FILE_NAME).write_text(half)
        with pytest.raises(SavingOff, match=r"settings\.toml:1:"):
            store.save(replace(loaded, max_tool_rounds=2))
        assert text_of(tmp_path) == half
        assert [one.name for one in tmp_path.iterdir()] == [FILE_NAME]


def _make_link(file: Path) -> None:
    file.symlink_to(file.parent / "unmounted" / FILE_NAME)


def _make_linked_folder(file: Path) -> None:
    file.parent.rmdir()
    file.parent.symlink_to(file.parent.parent / "unmounted")


def _make_loop(file: Path) -> None:
    file.symlink_to(file)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, _make_link, _make_linked_folder, _make_loop])
def test_a_file_that_cannot_be_read_blocks_and_is_not_overwritten(
    tmp_path: Path, make: Callable[[Path], None]
):
    """With a link to a disk that was away, `offline = true` and the gateway were dropped without a word."""
    tmp_path = tmp_path / "data"
    tmp_path.mkdir()
    make(tmp_path / FILE_NAME)
    store = SettingsFile(tmp_path)
    assert store.load() == Preferences()
    assert "could not be read" in str(store.problems[0])
    assert store.problems[0].blocks
    with pytest.raises(InvalidInput, match="could not be read"):
        store.save(Preferences(model="x"))


def test_a_file_that_goes_while_it_is_in_use_blocks(tmp_path: Path):
    store = file_with(tmp_path, WRITTEN)
    store.load()
    (tmp_path / FILE_NAME).unlink()
    store.load()
    assert "was there and is gone" in str(store.problems[0])
    assert store.problems[0].blocks
    (tmp_path / FILE_NAME).write_text(WRITTEN)
    store.load()
    assert not store.problems[0].blocks


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('opanai_url = "https://g.example"', ":2:1: opanai_url is not a setting, but very like openai_url."),
        ('"Redaction" = "off"', ":2:1: Redaction is not a setting, but very like redaction."),
        ('[server]\nlab = "http://lab"', ":2:2: server is not a setting, but very like servers."),
        ('gateway_address = "https://g.example"', ":2:1: gateway_address is not a setting, but reads like an address"),
        ('[openai]\nurl = "https://g.example"', ":3:1: openai.url is not a setting, but reads like an address"),
        ('[net]\n  proxy = "http://p"', ":3:3: net.proxy is not a setting, but very like proxy."),
        ('[attach]\nredactoin = "replace"', ":3:1: attach.redactoin is not a setting, but very like redaction."),
        ('[servers]\nopenai_url = "https://g.example"', ":3:1: servers.openai_url has no effect below [servers];"),
        ('openai_url = "https://me:secret@host"', ":2:1: openai_url looks like a key. It is not used:"),
    ],
)  # fmt: skip
def test_what_was_meant_to_say_where_requests_go_blocks(tmp_path: Path, line: str, words: str):
    store = file_with(tmp_path, f'model = "one"\n{line}\n')
    assert store.load() == Preferences(model="one", servers=store.load().servers)
    (problem,) = store.problems
    assert words in str(problem)
    assert problem.blocks


@pytest.mark.parametrize("name", [one for one in write_form(Preferences()) if one not in GUARDED])
def test_another_misspelt_setting_is_said_and_does_not_block(tmp_path: Path, name: str):
    for wrong in {name[:-1], f"{name}s", name[1:]} - write_form(Preferences()).keys():
        store = file_with(tmp_path, f"{wrong} = 1\n")
        assert store.load() == Preferences()
        (problem,) = store.problems
        assert f":1:1: {wrong} is not a setting; it is left as it is" in str(problem)
        assert not problem.blocks


def test_what_cannot_be_written_is_said_and_the_old_file_stays(tmp_path: Path):
    store = file_with(tmp_path, 'model = "one"\n')
    loaded = store.load()
    (tmp_path / f"{FILE_NAME}.tmp").mkdir()
    with pytest.raises(InvalidInput, match="could not be written"):
        store.save(replace(loaded, model="two"))
    assert text_of(tmp_path) == 'model = "one"\n'


def test_a_wrong_entry_is_named_with_what_would_be_right(tmp_path: Path):
    store = file_with(tmp_path, 'max_tool_rounds = "many"\nredaction = "loud"\nmodel = "mine"\n')
    assert store.load() == Preferences(model="mine")
    tail = "Nothing is sent until the file is corrected; it was not changed."
    assert list(map(str, store.problems)) == [
        f"{tmp_path / FILE_NAME}:1:1: max_tool_rounds: expected an integer 0..100, found text. {tail}",
        f'{tmp_path / FILE_NAME}:2:1: redaction: expected one of "off", "warn", "replace", found another. {tail}',
    ]
    assert all(problem.blocks for problem in store.problems)
    assert text_of(tmp_path).startswith('max_tool_rounds = "many"')


CANARY = "sk-xanthocanary-1"


@pytest.mark.parametrize(
    "line",
    [
        f'api_key = "{CANARY}"',
        f'model = "{CANARY}"',
        f'[servers]\nhome = "https://{CANARY}@host/v1"',
        f'[providers.openai]\ntoken = "{CANARY}"',
        f'[context]\nuser_memory = "my key is {CANARY}"',
        f'tools_enabled = ["{CANARY}"]',
        f'[[extra]]\nkey = "{CANARY}"',
        f'"{CANARY}" = true',
    ],
)
def test_a_key_is_refused_and_repeated_nowhere(tmp_path: Path, line: str):
    """Obsidian Copilot #1402: keys in a settings file that is synchronised, shared and committed."""
    store = file_with(tmp_path, f'persona = "terse"\n{line}\n')
    loaded = store.load()
    assert CANARY not in repr(loaded)
    assert loaded.persona == "terse"
    assert "`workbench keys provider` keeps keys encrypted" in str(store.problems[0])
    assert CANARY not in str(store.problems)
    store.save(replace(loaded, max_tool_rounds=2))
    assert CANARY not in text_of(tmp_path)
    assert SettingsFile(tmp_path).load() == replace(loaded, max_tool_rounds=2)
    assert [one.name for one in tmp_path.iterdir()] == [FILE_NAME]


def test_a_broken_file_with_a_key_is_not_quoted(tmp_path: Path):
    store = file_with(tmp_path, f'api_key = "{CANARY}\n{CANARY} = = 1')
    store.load()
    assert CANARY not in str(store.problems)


@pytest.mark.parametrize(
    "preferences",
    [
        Preferences(model=CANARY),
        Preferences(servers={"home": "https://me:secret@host"}),
        Preferences(servers={CANARY: "https://host"}),
        Preferences(openai_url="https://me:secret@host"),
        Preferences(context={"user_memory": f"x {CANARY}"}),
        Preferences(context={"api_key": "anything"}),
        Preferences(tools_enabled=("read", CANARY)),
    ],
)
def test_the_program_itself_cannot_write_a_key(tmp_path: Path, preferences: Preferences):
    store = SettingsFile(tmp_path)
    with pytest.raises(InvalidInput, match="looks like a key, and was not saved") as refusal:
        store.save(preferences)
    assert CANARY not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "preferences",
    [Preferences(model=""), Preferences(max_tool_rounds=-1), Preferences(timeouts=Timeouts(idle_s=0))],
)
def test_what_could_not_be_read_back_is_not_saved(tmp_path: Path, preferences: Preferences):
    with pytest.raises(InvalidInput, match="nothing was saved"):
        SettingsFile(tmp_path).save(preferences)
    assert list(tmp_path.iterdir()) == []


def test_what_is_declared_about_models_is_a_table_a_model_and_only_what_was_said(tmp_path: Path):
    models = {
        "lab:qwen3.5": ModelFacts(context_window=8192, tools=False),
        "ollama:x": ModelFacts(images=True, count_while_typing=True),
    }
    SettingsFile(tmp_path).save(Preferences(models=models))
    assert SettingsFile(tmp_path).load().models == models
    assert tomlkit.parse(text_of(tmp_path)).unwrap()["models"] == {
        "lab:qwen3.5": {"context_window": 8192, "tools": False},
        "ollama:x": {"images": True, "count_while_typing": True},
    }


def test_a_declaration_that_makes_no_sense_is_left_out_and_said(tmp_path: Path):
    store = file_with(tmp_path, '[models."a:b"]\ncontext_window = 0\nimages = false\n')
    assert store.load().models == {"a:b": ModelFacts(images=False)}
    assert ":2:1: models.a:b.context_window: expected an integer >= 1, found 0." in str(store.problems[0])


def test_half_a_file_left_by_a_kill_is_not_read(tmp_path: Path):
    """What is being written has another name until it is whole and on the disk."""
    store = file_with(tmp_path, 'model = "old"\n')
    loaded = store.load()
    for leftover in (b"", b'model = "ha'):
        (tmp_path / f"{FILE_NAME}.tmp").write_bytes(leftover)
        assert SettingsFile(tmp_path).load().model == "old"
    store.save(replace(loaded, model="new"))
    assert SettingsFile(tmp_path).load().model == "new"


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=8)
CONTEXTS = st.fixed_dictionaries(
    {},
    optional={
        "user_memory": NAMES,
        "context_window": st.none() | st.integers(1, 10**9),
        "include_only": st.none() | st.lists(NAMES, max_size=3),
        "history": st.fixed_dictionaries({}, optional={"recall": st.booleans(), "headroom": st.none()}),
    },
)
CHOICES = st.builds(
    Preferences,
    model=NAMES,
    context=CONTEXTS,
    timeouts=st.builds(Timeouts, st.floats(0.1, 99), st.none() | st.floats(0.1, 99), st.floats(0.1, 99)),
    tools_enabled=st.lists(NAMES, max_size=3).map(tuple),
    workspace=NAMES | st.just(""),
    servers=st.dictionaries(NAMES, NAMES, max_size=3),
    sessions=st.dictionaries(
        NAMES, st.sampled_from(["X-Session-ID", "user", "prompt_cache_key"]), max_size=2
    ),
    openai_url=NAMES | st.just(""),
    anthropic_url=NAMES | st.just(""),
    gemini_url=NAMES | st.just(""),
    proxy=NAMES | st.just(""),
    ca_file=NAMES | st.just(""),
    offline=st.booleans(),
    plain_http=st.lists(NAMES, max_size=2).map(tuple),
    plain_http_with_key=st.lists(NAMES, max_size=2).map(tuple),
)


@given(st.lists(CHOICES, min_size=1, max_size=4))
@settings(max_examples=tries(40), deadline=None)
def test_whatever_is_saved_one_after_the_other_is_loaded(chosen: list[Preferences]):
    with tempfile.TemporaryDirectory() as folder:
        store = file_with(Path(folder), WRITTEN)
        store.load()
        for one in chosen:
            assume(not list(key_like(write_form(one))) and not list(misplaced(write_form(one))))
            store.save(one)
            assert SettingsFile(Path(folder)).load() == one
        assert "# My settings." in text_of(Path(folder))


@pytest.mark.parametrize(
    "line", ["\noffline = false\n", '"\noffline = false\nx = "', "\n[servers]\nevil = 'x'\n"]
)
def test_anythingllm_cve_2024_3104_no_value_writes_another_setting(tmp_path: Path, line: str):
    """There a line break in a setting wrote a second one, which the next start obeyed."""
    store = file_with(tmp_path, "offline = true\n")
    wanted = replace(store.load(), workspace=f"/home{line}", model=f"one{line}")
    store.save(wanted)
    assert SettingsFile(tmp_path).load() == wanted
    assert wanted.offline


# Misspelt names of settings that say where a request goes, and what is taken out of it.


@pytest.mark.parametrize("name", GUARDED)
def test_one_wrong_letter_is_near(name: str):
    for at in range(len(name)):
        assert near_guarded(name[:at] + name[at + 1 :]) == name
        assert near_guarded(f"{name[:at]}x{name[at + 1 :]}") == name
    assert near_guarded(name.upper()) == name


@pytest.mark.parametrize("name", ["proxy", "https_proxy", "base_url", "openai-endpoint", "gateway_address"])
def test_what_reads_like_such_a_setting_is_near(name: str):
    assert near_guarded(name)


@pytest.mark.parametrize("name", ["colour", "modle", "font_size", "persona2", "lock", "shortcut", "x"])
def test_other_names_are_not(name: str):
    assert near_guarded(name) == ""


def test_names_inside_an_unknown_table_count_and_servers_may_be_called_as_one_likes():
    entries = {
        "net": {"deep": {"proxi": 1}, "odd": 2},
        "servers": {"proxy": "a", "server": "b", "openai": "c"},
    }
    assert list(near_inside(("net",), entries)) == [(("net", "deep", "proxi"), "proxy")]
    assert list(misplaced(entries)) == []
    assert list(misplaced({"servers": {"redaction": "off"}, "shortcuts": {"opanai_url": "x"}})) == [
        (("servers", "redaction"), "redaction"),
        (("shortcuts", "opanai_url"), "openai_url"),
    ]


# Only what changed is written anew, and what is written is what was meant, however the text was laid out.


SCATTERED = """\
# first
a = 1  # one

[t.inner]
x = 1  # in the inner one

[u]
y = 2  # untouched

[t]
z = 3  # in the outer one
"""


def plain(text: str) -> Any:
    return tomlkit.parse(text).unwrap()


def test_without_a_difference_not_a_byte_changes():
    for text in ("", SCATTERED, "a.b = 1\r\n# end", 'x = { y = "z" } # inline\n'):
        assert edited(text, plain(text), plain(text)) == text


def test_only_what_differs_changes():
    old = plain(SCATTERED)
    new = {**old, "a": 5, "u": {"y": 2, "w": [1, {"deep": True}]}}
    result = edited(SCATTERED, old, new)
    assert plain(result) == new
    for kept in (
        "# first",
        "a = 5  # one",
        "x = 1  # in the inner one",
        "y = 2  # untouched",
        "z = 3  # in the outer",
    ):
        assert kept in result


def test_what_neither_side_names_stays():
    assert plain(edited("mine = 1\na = 1\n", {"a": 1}, {"b": 2})) == {"mine": 1, "b": 2}


@pytest.mark.parametrize(
    "new",
    [
        {"a": 1, "u": {"y": 2}, "t": {}},
        {"a": 1, "u": {"y": 2}, "t": {"inner": {}}},
        {"a": 1, "u": {"y": 2}, "t": {"z": 4, "inner": {"x": 9, "more": {"n": 1}}}},
        {"t": 7},
        {},
    ],
)
def test_tables_written_in_several_places_are_not_lost(new: dict[str, Any]):
    """The library fails on some of these, or writes something else than it was told."""
    result = edited(SCATTERED, plain(SCATTERED), new)
    assert plain(result) == new
    if "u" in new:
        assert "y = 2  # untouched" in result


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("a.b.c = 1\na.d = 2\n[e]\nf = 1\n", {"a": {}}),
        ("[a]\nb.c = 1\nb.d = 2\n[a.e]\nf = 1\n", {"a": {"b": {"c": {"n": 1}}}}),
        ("[[a.b]]\nc = 1\n[a.d]\ne = 1\n", {"a": {}}),
    ],
)
def test_what_the_library_writes_is_not_taken_on_trust(text: str, new: dict[str, Any]):
    """Here it writes something else than it was told, without a word."""
    assert plain(edited(text, plain(text), new)) == new


def test_dotted_and_inline_tables_can_be_changed():
    assert plain(edited("a.b = 1\na.c = 2\n", {"a": {"b": 1, "c": 2}}, {"a": {"b": 3}})) == {"a": {"b": 3}}
    assert plain(edited("a = { b = 1, c = 2 }\n", {"a": {"b": 1, "c": 2}}, {"a": {"c": 3}})) == {
        "a": {"c": 3}
    }


def test_a_list_of_tables_can_be_replaced():
    text = "[[m]]\nn = 1\n\n[[m]]\nn = 2\n"
    assert plain(edited(text, plain(text), {"m": [{"n": 3}]})) == {"m": [{"n": 3}]}


def test_keys_are_taken_out_wherever_they_stand():
    text = 'ok = 1\napi_key = "x"\n[a.b]\ntoken = "x"\nfine = 2\n[[c]]\npassword = "x"\n'
    assert plain(edited(text, {}, {})) == {"ok": 1, "a": {"b": {"fine": 2}}}
    entries = plain(text)
    take_out_keys(entries)
    assert entries == {"ok": 1, "a": {"b": {"fine": 2}}}


def test_changes_to_plain_entries():
    entries: dict[str, Any] = {"a": 1, "t": {"x": 1, "mine": 2}}
    apply(entries, {"a": 1, "t": {"x": 1}}, {"t": {"y": 3}, "b": {"c": 4}})
    assert entries == {"t": {"mine": 2, "y": 3}, "b": {"c": 4}}
