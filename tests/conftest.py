"""Settings that all tests share: how hard they try, which of them are slow, and nobody's own folder."""

from __future__ import annotations

import gc
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from tests.fakes.effort import effort, tries

# Qt reads it when it is loaded: no test opens a window on somebody's screen, or needs one.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # noqa: TID251
# Whatever the language of whoever runs the tests: they quote the English words.
os.environ["LANGUAGE"] = "en"  # noqa: TID251

# No deadline: on a busy machine it fails tests that are merely slow. The same examples on every run, so
# that a failure seen once can be seen again.
settings.register_profile(effort(), deadline=None, derandomize=True, print_blob=True, max_examples=tries(100))
settings.load_profile(effort())

HERE = Path(__file__).parent
_HAS_QT: list[bool] = []
_NAMED: set[Path] = set()
"""Test files that somebody named, or that are about what was just changed: no table below leaves them out."""
# What `dev.py test --quick` leaves out, by its folder or file; a single test has the mark itself.
SLOW = {
    "e2e": "whole programs and the real model",
    "contracts": "every implementation of every port: stores, servers, models",
    "storage": "real files, keys and faults: each test makes a store",
    "wiring": "everything put together, and processes",
    "cli/history": "a real store for each test",
    "cli/ask": "a real store for each test",
    "cli/test_tools.py": "starts servers of tools",
    "cli/test_tools_doing.py": "starts servers of tools",
    "cli/test_shell_completion.py": "starts shells",
    "cli/test_schemas.py": "every trajectory",
    "cli/test_keys.py": "starts the program, and makes real keys",
    "cli/test_replay_fuzz.py": "starts the program, and thousands of inputs",
    "test_main.py": "starts the program",
    "cli/replay/test_trajectory.py": "thousands of inputs",
    "cli/test_keys_provider.py": "a real store for each test",
    "sources/test_resources.py": "builds a wheel",
    "sources/test_ignoring.py": "starts git",
    "sources/test_listing.py": "twenty thousand files",
    "sources/web/test_fetching.py": "servers that keep one waiting",
    "sources/web/test_pages.py": "starts a process",
    "tools": "real folders, and somebody who swaps links in them",
    "engine/test_kept_replay.py": "every trajectory through a store",
    "stable": "every command that prints JSON",
    "engine/exchange": "every format with every kind of damage",
    "showroom": "the whole window, once for each picture",
    "ui": "Qt, and windows; the folder that one works in is tested by its name",
    "context/count/test_cuts.py": "every vocabulary",
    "context/cache/test_look_back.py": "whole conversations at played vendors",
    "context/cache/test_provider_caches.py": "whole conversations at played vendors",
    "context/shorten/test_survival.py": "long texts",
    "context/shorten/test_facts.py": "long texts",
    "context/shorten/test_logs.py": "long texts",
    "context/clean/test_secrets.py": "megabytes of text",
    "context/recall/test_share.py": "hundreds of questions",
    "trajectories/test_rebuild_reasons.py": "every reason in every kind of conversation",
    "trajectories/test_conformance_layers.py": "every case",
    "engine/shown": "whole conversations, looked at",
    "engine/open_chat/test_cache.py": "waits until a cache is cold",
    "engine/open_chat/test_folders.py": "starts processes",
    "engine/open_chat/test_layouts.py": "whole conversations",
    "engine/open_chat/test_looks.py": "starts a process",
    "engine/open_chat/test_newest_files.py": "real files that change",
    "engine/open_chat/test_opening_and_closing.py": "hundreds of chats, opened and closed",
    "engine/open_chat/test_prices.py": "whole conversations",
    "engine/open_chat/test_relevance.py": "waits until nobody types",
    "engine/open_chat/test_warmth.py": "waits until a cache is cold",
    "engine/open_chat/test_counted_at_send.py": "waits for a server",
    "engine/test_running_turns.py": "every call that a store may refuse",
    "engine/assembly/test_preview.py": "drafts, letter by letter",
    "engine/program/test_imports.py": "thousands of messages",
    "engine/test_odd_notes.py": "hundreds of odd notes",
    "engine/test_workbench.py": "waits for the end of everything",
    "engine/chats/test_new_chats.py": "whole conversations",
    "engine/recall/test_elsewhere.py": "many chats",
    "engine/test_summaries.py": "whole conversations",
    "engine/test_completion_known_files.py": "twenty thousand files",
    "cli/test_workspaces.py": "a real store for each test",
    "architecture/test_panes.py": "reads every module of the window",
    "architecture/test_pins.py": "reads what is installed",
    "architecture/test_bans_bite.py": "starts the linter",
    "architecture/test_contracts_bite.py": "starts the import checks",
    "architecture/test_core_purity.py": "starts the program",
    "architecture/test_guide.py": "Qt, for the list of shortcuts",
    "architecture/test_guide_figures.py": "Qt, for the list of shortcuts",
    "architecture/test_startup.py": "starts the program",
    "architecture/test_user_files.py": "starts the linter",
    "net/watch/test_real_clients.py": "every client",
    "packaging": "starts processes, git and pip, and measures",
    "providers": "servers, every client, and the real model in a process of its own",
    "sources/extract": "starts processes, and makes hundreds of files",
}


# Files that look at the same thing that is slow to make are run by one process, which makes it once.
TOGETHER = {
    "showroom": "the scripted conversation",
    "ui/window/test_kept_texts.py": "the scripted conversation",
    "ui/workspace/test_page.py": "the scripted conversation",
    "ui/workspace/test_sections.py": "the scripted conversation",
}
MOST_PROCESSES = 4

# What takes longest begins first, so that no process is left with it at the end.
LONGEST = (
    "ui/whole",
    "showroom",
    "wiring",
    "e2e",
    "engine/shown",
    "contracts",
    "cli",
    "providers",
    "storage/faults",
)


@cache
def rank_of(path: Path) -> int:
    """How early a file is begun."""
    place = path.relative_to(HERE).as_posix()
    return next((rank for rank, folder in enumerate(LONGEST) if place.startswith(folder)), len(LONGEST))


# What takes long and fails with something quicker is tried where a change is taken.
ONLY_FULL = {
    "packaging/test_strings.py::test_what_people": "every module is read; the rest has what is found",
    "packaging/test_languages.py::test_every_language": "every module is read; the catalogues have tests of their own",
    "architecture/test_words.py::test_no_string": "every module is read",
    "context/answers/test_fact_sets.py": "marked answers against long requests; the rest has each kind of fact",
    "chaos/test_chaos.py::test_nothing_acknowledged": "half a minute; storage/faults has each fault by itself",
    "ui/whole/test_real_window.py": "a window on a display of its own; ui/whole/test_window.py has the same steps",
    "wiring/test_first_paint.py": "starts the program; architecture/test_startup.py has what is loaded before",
    "showroom/test_pictures.py": "pictures of the whole window; test_figures.py draws every scene",
    "e2e/test_builtin_model.py::test_a_stop_in_the_middle": "the real model; engine/turn has every stop",
    "ui/whole/test_screen_reader.py": "the program over AT-SPI; showroom/test_figures.py has every scene",
    "storage/faults/test_flipped_bits.py": "hundreds of damaged stores",
    "storage/faults/test_power_cut.py": "hundreds of stores, each cut off at another moment",
    "e2e/test_builtin_model.py::test_the_inspector_s_sum": "the real model; test_a_conversation has the counts",
    "ui/window/test_explaining.py": "a whole window each; ui/explain has the cards, showroom/test_figures.py the scene",
    "sources/test_resources.py::test_a_real_wheel": "builds a wheel; the places of resources are tested beside it",
    "storage/test_upgrade.py::test_a_folder_of_the_first": "a whole folder; test_old_versions.py has every store",
    "architecture/test_contracts_bite.py": "the import checks, once for each contract",
    "contracts/test_tool_servers.py::test_the_git_server": "a server of others; the reference servers are beside it",
    "context/clean/test_secrets.py::test_a_line_of_a_megabyte": "megabytes; the rest has each kind of key once",
    "context/shorten/test_logs.py::test_a_log_of_one_line": "a long line; test_survival.py has the lengths",
    "ui/inspector/test_pane.py": "the whole inspector each; its pages are tested apart",
    "sources/extract/test_corpus.py::test_a_file_is_refused": "a process each; test_damaged.py has each kind of damage",
    "ui/window/test_main_window.py": "a whole window each; ui/whole/test_window.py has it at work",
    "ui/window/test_dialog_opener.py": "a whole window each; ui/dialogs has every dialog",
    "ui/window/test_session.py": "a whole window each; ui/whole/test_window.py and engine have the steps",
    "ui/window/test_actions.py": "a whole window each; ui/test_commands.py has the list",
    "ui/window/test_chat_settings.py": "a whole window each; ui/parameters has the parts",
    "e2e/test_guide_commands.py": "programs; cli has every command",
    "cli/test_interrupt.py": "programs; engine/turn has every stop",
    "engine/open_chat/test_prices.py::test_what_was_told": "whole conversations; the rest has each kind of step",
    "showroom/test_conversation.py::test_the_total_is_that": "every moment of the scripted conversation",
    "providers/faults/test_fault_table.py::test_a_fault_ends": "servers that keep one waiting",
    "trajectories/test_rebuild_reasons.py": "whole conversations, one for each reason",
    "trajectories/test_conformance_layers.py::test_no_text": "every text in every place of a request",
    "tools/mcp/test_servers.py::test_offline": "starts a program; net/test_rules.py has who is asked offline",
    "storage/upkeep/test_rescue.py": "stores without one of their pages",
    "storage/test_state_machine.py": "long histories; storage has each step",
    "ui/chat/test_hostile_text.py::test_no_bomb": "hostile texts in a window",
    "ui/chat/text/test_highlight.py::test_hostile": "hostile code; the rest has each language",
    "engine/test_running_turns.py::test_a_store_that_refuses": "every call that a store may refuse",
    "sources/test_listing.py::test_twenty": "twenty thousand files; the rest has the rules",
    "net/watch/test_real_clients.py": "every client; net/watch/test_proxy.py has the bytes",
    "storage/test_history.py::test_the_loop_goes_on": "a slow disk; the test before it has the one thread that writes",
    "architecture/test_connections.py::test_nobody_else": "every module is read; net/test_rules.py has who is asked",
    "e2e/test_side_question.py": "the real model; engine/turn has side questions, engine/test_warming.py refreshes",
    "providers/served/test_servers.py": "whole talks with a server's double; providers/served has each of its rules",
    "providers/served/test_sessions.py": "whole talks; domain/test_model.py has how a session is passed on",
    "storage/faults/test_full_disk.py": "stores in a small room; storage/faults/test_read_only.py has what is said",
    "storage/faults/test_canaries.py": "whole programs; context/clean and providers/faults have each way out",
    "trajectories/test_what_fits.py::test_files_of_one": "hundreds of requests; the rest has each rule",
    "engine/shown/test_incremental.py": "thousands of edits, each built twice",
    "wiring/test_other_users.py": "programs of another user; storage and net have the modes of each file",
    "e2e/test_ask.py::test_a_second_program": "programs; storage has two at one store",
    "e2e/test_ask.py::test_keys_are_warned": "programs; context/clean has each kind of key",
}

# What takes the real model or a long time, and has its facts elsewhere: for a change of what it is about.
ONLY_THOROUGH = {
    "fuzz/test_fuzz.py": "every reader with damaged inputs; each reader's own tests have the damage that was found",
    "sources/test_resources.py::test_a_program_from": "builds a wheel",
    "storage/keys/test_rotation.py::test_killed_at": "a program that is killed; each step is stopped beside it",
    "storage/keys/test_rotation.py::test_after_a_kill": "a program that is killed; each step is stopped beside it",
    "wiring/test_network.py": "programs behind a proxy; net/test_connections.py has the rules",
    "wiring/test_watch.py": "programs; net/watch/test_proxy.py has the bytes",
    "cli/test_interrupt.py": "starts the program",
    "showroom/test_languages.py": "the whole window; ui/test_translation.py has the parts",
    "e2e/test_spending.py": "programs; engine/test_metering.py has the sums",
    "tools/mcp/test_asked_of_us.py::test_the_folder": "six programs; the first test is about what costs",
    "tools/mcp/test_questions.py::test_who_stops": "two programs; the first test has both protocols",
    "tools/mcp/test_questions.py::test_without_a_person": "a program; test_turns.py has questions that are declined",
    "ui/test_garbage.py::test_nothing_is_left": "thousands of widgets; the rest has who collects, and when",
    "ui/test_garbage.py::test_what_is_always": "a whole window; the rest has who collects, and when",
    "providers/faults/test_fault_table.py::test_the_whole_table": "memory; each fault is in the table's own tests",
    "packaging/test_dev.py::test_a_file_that_is_named": "runs pytest again",
    "cli/test_keys.py::test_a_folder_without": "programs; storage/keys has who asks for what",
    "providers/builtin/test_gguf.py::test_many_empty": "a large file; the rest has each damage",
    "ui/inspector/turns/test_table.py::test_a_turn_more": "a long chat; the rest has each cell",
    "context/assembly/test_leaving.py::test_a_chat_of_five_hundred": "a long chat; its rules are beside it",
    "engine/test_completion_known_files.py::test_twenty": "twenty thousand files; test_listing.py has as many",
    "engine/shown/test_folder_scan.py::test_twenty": "twenty thousand files; test_listing.py has as many",
    "engine/watch/test_stored_requests.py::test_three_hundred": "three hundred requests; the rest has each rule",
    "context/shorten/test_facts.py::test_a_long_ruler": "a long line; the rest has each kind of fact",
    "storage/chats/test_turns.py::test_the_hundredth": "a hundred turns; test_segments.py has what is kept once",
    "e2e/test_real_agents.py": "real agents, where installed; context/watch/test_session_copies.py has their parts",
    "e2e/test_ask.py::test_the_first_start_talks": "the real model; test_builtin_model.py has a conversation's counts",
    "wiring/test_scenes.py::test_a_scene_is_drawn": "showroom/test_pictures.py has the same picture",
    "sources/extract/test_corpus.py::test_a_file_that_is_made_to_do_harm": "test_process.py has each kind of harm once",
    "e2e/test_recall.py": "the real model; engine/recall has what comes back",
    "e2e/test_summaries.py": "the real model; context/shorten/test_check.py has what is refused",
    "e2e/test_long_answer.py": "megabytes in a program of its own; engine/test_reduce.py counts the copies",
    "engine/program/test_killed_imports.py": "programs that are killed; storage/faults has the store's own kills",
    "sources/extract/test_real_documents.py": "whatever lies on the machine; the corpus has each kind once",
    "e2e/test_builtin_cache.py": "the real model for minutes; test_builtin_model has one turn of each kind",
    "ui/whole/test_completion.py": "the whole window; ui/chat/composer and engine/completion have the parts",
    "ui/whole/test_folder.py": "the whole window; ui/dialogs/folder has the parts",
    "ui/whole/test_prices.py": "the whole window; engine/open_chat/test_prices.py has the figures",
    "ui/whole/test_sections.py": "the whole window; ui/inspector/sections has the parts",
    "e2e/test_replicas.py": "two real models and a router; providers/served/test_sessions.py has the rules",
    "e2e/test_guide_commands.py::test_every_command_with_the_real": "the real model; the others have the commands",
    "e2e/test_parameters.py": "the real model; providers have what goes out",
    "e2e/test_builtin_model.py::test_chats_that_take": "the real model; providers/builtin has its slots",
    "e2e/test_builtin_model.py::test_answers_in_char": "the real model; context/count/test_cuts.py has the characters",
    "e2e/test_builtin_model.py::test_a_stop_while_it_reads": "the real model; the test before it stops it, too",
    "e2e/test_builtin_model.py::test_idle": "the real model; providers/builtin/test_server.py has the clock",
    "ui/whole/test_tools.py": "the whole window; ui/window/test_chat_tools.py and ui/workspace have the parts",
    "ui/whole/test_summaries.py": "the whole window; engine/summaries and ui/dialogs have the parts",
    "wiring/test_trace.py": "a whole window",
    "e2e/test_builtin_model.py::test_killed_it_comes": "the real model; the next test kills it while it answers",
    "e2e/test_external_llama.py": "the real model, started apart; providers/served/test_servers.py has the same talk",
    "ui/whole/test_words.py": "the whole window; ui/dialogs/prompts and ui/inspector have the parts",
    "e2e/test_without_network.py": "whole programs; net and wiring/test_network.py have the rules",
    "ui/whole/test_workspaces.py": "the whole window; ui/workspace and engine/workspaces have the parts",
    "ui/whole/test_recall.py": "the whole window; engine/recall and ui/inspector have the parts",
    "ui/whole/test_priorities.py": "the whole window; engine/open_chat/test_relevance.py has the parts",
    "engine/open_chat/test_opening_and_closing.py::test_after_everything": "thousands of steps; the rest has each",
    "e2e/test_influence.py": "the real model; engine/influence and providers/builtin have the parts",
    "e2e/test_ask.py::test_ctrl_c": "the real model; cli/test_interrupt.py has every moment of it",
    "ui/whole/test_window.py::test_the_built_in_model": "the real model; e2e/test_builtin_model.py stops it, too",
    "context/answers/test_check_facts.py::test_an_answer_of_a_megabyte": "megabytes of text",
    "ui/test_any_order.py": "whole conversations in any order; dev.py chaos does the same for an hour",
    "showroom/test_conversation.py::test_every_row": "each moment counted by its bytes; test_the_total has each sum",
    "e2e/test_side_question.py": "the real model; engine/turn has side questions, engine/test_warming.py refreshes",
    "wiring/test_first_paint.py::test_the_log": "starts the program; wiring/test_log.py has the log",
    "wiring/test_first_paint.py::test_without_a_log": "starts the program; wiring/test_log.py has the log",
    "ui/whole/test_facts.py": "the whole window; ui/chat and engine/answers have the parts",
}

# Where each variant takes long and fails with the others, not all of them are tried.
SAMPLED = {
    "showroom/test_figures.py": "a picture of the whole window each",
    "ui/chat/test_hostile_text.py": "a megabyte of text each",
    "contracts/test_chat_model.py": "the real model each; what it tells apart is in the first ones",
    "providers/faults/test_fault_table.py": "a connection that breaks each, for every provider",
    "showroom/test_conversation.py": "a moment of the scripted conversation each",
    "storage/faults/test_kills.py": "a program that is killed again and again each",
    "cli/test_replay_fuzz.py": "two programs each",
    "context/cache/test_look_back.py": "a whole conversation at a played vendor each",
    "context/shorten/test_survival.py": "a long text each",
    "storage/faults/test_cut_files.py": "a store that is cut each",
    "providers/test_tokenizer.py": "a megabyte of text each",
    "contracts/test_tool_servers.py": "a program of its own each",
    "providers/wire/test_left_streams.py": "everything is looked through for garbage each",
    "providers/served/test_servers.py": "a whole talk each",
    "e2e/test_side_question.py": "the real model each",
}
# Every fifth; every third where a change is taken.
STEPS = {"quick": 5, "usual": 5, "full": 3, "thorough": 1}


def pytest_configure(config: pytest.Config) -> None:
    """Whoever names a file or a test wants it run; whoever is in a hurry wants what belongs to the change."""
    named = (Path(argument.partition("::")[0]).resolve() for argument in config.args)
    _NAMED.update(path for path in named if path.is_file())
    if effort() == "quick":
        _NAMED.update(covering_tests(changed_files(HERE.parent), HERE))


def changed_files(root: Path) -> list[str]:
    """The Python files that differ from the last commit, and new ones; none where there is no git."""
    git = ("git", "-C", str(root), "status", "--porcelain", "--no-renames", "--untracked-files=all")
    try:
        lines = subprocess.run(git, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return []
    return [line[3:] for line in lines if line.endswith(".py")]


def covering_tests(changed: Iterable[str], tests: Path) -> set[Path]:
    """The test files among the changed ones, and those that import a changed module."""
    names = [name.removesuffix(".py").replace("/", ".") for name in changed]
    imports = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b") if names else None
    return {
        path
        for path in tests.rglob("test_*.py")
        if path.relative_to(tests.parent).as_posix() in changed
        or (imports is not None and imports.search(path.read_text(encoding="utf-8")))
    }


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest files first, each by one process; and no more variants than the effort allows.

    What is left out is told as deselected.
    """
    counts: Counter[str] = Counter()
    left_out = [item for item in items if item.path not in _NAMED and _is_left_out(item, counts)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
    items.sort(key=lambda item: rank_of(item.path))


def _is_left_out(item: pytest.Item, counts: Counter[str]) -> bool:
    if effort() != "thorough" and _stands_in(ONLY_THOROUGH, item):
        return True
    if effort() in ("quick", "usual") and _stands_in(ONLY_FULL, item):
        return True
    return _is_between(item, counts)


def _stands_in(table: dict[str, str], item: pytest.Item) -> bool:
    place = item.path.relative_to(HERE).as_posix()
    return any(f"{place}::{item.name}".startswith(one) for one in table)


def _is_between(item: pytest.Item, counts: Counter[str]) -> bool:
    """Whether it is a variant that the effort does not reach."""
    place = item.path.relative_to(HERE).as_posix()
    if place not in SAMPLED or not hasattr(item, "callspec"):
        return False
    test, step = item.nodeid.partition("[")[0], STEPS[effort()]
    counts[test] += 1
    return step > 1 and counts[test] % step != 1


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a window and a server that is asked wait most of their time."""
    return min(MOST_PROCESSES, (os.cpu_count() or 1) + 1)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """A file is run by one process, and so are files that share something."""
    return SharingScheduling(config, log)


class SharingScheduling(LoadFileScheduling):  # type: ignore[misc]
    """Hands out whole files, and those together that stand in the table."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::", 1)[0]
        place = Path(path).relative_to("tests") if path.startswith("tests/") else Path(path)
        shared = (TOGETHER.get(each.as_posix()) for each in (place, *place.parents))
        return next(filter(None, shared), path)


@cache
def is_slow(path: Path) -> bool:
    """Whether a folder or file stands in the table, or in a folder of it."""
    place = path.relative_to(HERE)
    return any(each.as_posix() in SLOW for each in (place, *place.parents))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """What is slow is not even read where one is in a hurry."""
    hurried = effort() == "quick" and is_slow(collection_path)
    wanted = any(path.is_relative_to(collection_path) for path in _NAMED)
    return True if hurried and not wanted else None


def pytest_itemcollected(item: pytest.Item) -> None:
    """The mark, for whoever asks for it by `-m slow` or `-m "not slow"`."""
    if item.path in _NAMED:
        item.own_markers[:] = [mark for mark in item.own_markers if mark.name != "slow"]
    elif is_slow(item.path):
        item.add_marker("slow")


def pytest_collection() -> None:
    """Thousands of tests, and all they import, stay to the end: looking through them for garbage takes many seconds."""
    from workbench.ui.program.quick_imports import leave_sources_alone

    gc.disable()
    leave_sources_alone()


def pytest_collection_finish() -> None:
    """Once is enough, and never again after that."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """From the first Qt application on, this process collects garbage between two tests only, in this thread.

    Python collects in whatever thread allocates, the database's or a model's: it would end widgets and timers there,
    and the process with them.
    """
    if "qapp" in getattr(item, "fixturenames", ()):
        gc.disable()
        _HAS_QT.append(True)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """By what has piled up: to look through everything after each test takes minutes."""
    if _HAS_QT:
        gc.disable()  # also after a test that is about collecting
        from workbench.ui.garbage import collect_by_count

        if gc.get_count()[2] > 10:
            gc.collect()
        collect_by_count()


@pytest.fixture(autouse=True, scope="session")
def nobodys_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings and models that whoever runs the tests has for themselves must not change what they find."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_DATA_DIR", str(tmp_path_factory.mktemp("nobody") / "data"))
        yield


@pytest.fixture(autouse=True, scope="session")
def cheap_keys() -> Iterator[None]:
    """What makes guessing a passphrase slow makes every store of a test slow; tests/storage/keys has the real cost."""
    from tests.fakes.keys import CHEAP
    from workbench.storage.keys import vault

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vault, "USUAL_COST", CHEAP)
        yield


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits until nobody types any more waits a moment only: a test types all at once, and waits for the end."""
    from workbench.engine.open_chat import chat, requests

    for module in (requests, chat):
        monkeypatch.setattr(module, "SETTLE_S", 0.02)
