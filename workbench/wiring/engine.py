"""Makes the world of a turn (models, keys, tools, attachments, prices), and the settings of new chats."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.services import WorldOptions
from workbench.cli.terminal import tell
from workbench.context.folders.rank import read_related
from workbench.domain.errors import InvalidInput
from workbench.domain.folder_offer import FolderOffer
from workbench.domain.secrets import Secret
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.context_settings import NEW_CHAT, ContextSettings, PersonaSources
from workbench.domain.settings.preset import merge_preferences
from workbench.domain.tool import ToolDefinition
from workbench.domain.translation import tr
from workbench.engine.assembly.prepare import Builder
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.metering import MeteredModels, Spending
from workbench.engine.recall.folder_index import FolderIndexer
from workbench.engine.recall.followed import FollowedFolders
from workbench.engine.recall.meaning import Meaning
from workbench.engine.tasks import Tasks
from workbench.engine.world import Limits, World
from workbench.net.rules import OFFLINE, NotSent
from workbench.ports.history import HistoryStore
from workbench.ports.keys import ProviderKeys
from workbench.ports.models import ChatModel, ModelCatalogue, PriceList
from workbench.ports.tools import Toolbox, ToolServers
from workbench.ports.watching import ProgramWatch
from workbench.providers.builtin.files import MISSING, ModelFiles, load_builtin_file
from workbench.providers.harness.given_key import GivenKey, NoKeys
from workbench.providers.harness.learnt_file import LearntFile
from workbench.providers.named_models import NamedModels
from workbench.providers.prices import LatePrices
from workbench.providers.wire.endpoint import check_base_url, origin
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming
from workbench.sources.clock import MachineClock
from workbench.sources.exchange_files import FolderExchange
from workbench.sources.extract.process import ChildExtractor, Launch
from workbench.sources.folder_watch import SystemFolderWatch
from workbench.sources.resources import resource_path, shipped_prompts
from workbench.sources.web.fetching import WebPages
from workbench.sources.web.searching import HttpSearch
from workbench.tools.toolbox import WorkspaceTools
from workbench.tools.workspace.expressions import ExpressionSearch, search_command
from workbench.tools.workspace_toolboxes import MovableTools, WorkspaceToolboxes
from workbench.wiring.folder import (
    ProgramFolder,
    elara,
    folder_index,
    new_id,
    provider_keys,
    spend_ledger,
    with_temporary,
    workspace_store,
)
from workbench.wiring.holding import FolderPreferences
from workbench.wiring.log import Log
from workbench.wiring.network import child_environment
from workbench.wiring.sessions import HomeSessions

if TYPE_CHECKING:
    from workbench.providers.builtin.server import LlamaSetup

# How memory is given back to the system: at once, where a long answer or a large file was in it.


_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of mallopt(3)
_LARGE_BYTES = 4 * 1024 * 1024


def return_large_blocks() -> bool:
    """Makes the C library return large memory blocks to the system; returns whether that worked.

    By default glibc learns from the first large block freed to keep later ones, up to 32 MB, on its heap. Versions of a
    growing answer then leave holes that nothing fills: 30 MB for one of 16 MB.
    """
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        return bool(ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE_BYTES))
    except (OSError, AttributeError):  # another C library, which does not learn that
        return False


def make_world(
    builder: Builder, place: ProgramFolder, store: HistoryStore, wishes: WorldOptions, log: Log | None = None
) -> World:
    """Makes everything a turn needs; `log` where one is open already."""
    return_large_blocks()
    preferences = place.preferences()
    if log is None:
        log = Log()
        log.open()
    asked = make_models(builder, place, NoKeys()).origin_of(wishes.model) if wishes.model else None
    found = _given_key(wishes.key_env, asked) or provider_keys(store)
    keys = log.masking(found, builder.neutraliser.hide)
    builder.guard.prefer(preferences.redaction)
    waits = replace(preferences.timeouts, **wishes.waits)
    models = make_models(builder, place, keys)
    tools = MovableTools(_toolbox, wishes.workspace or preferences.workspace)
    workspaces = Workspaces(workspace_store(store), MachineClock())
    tasks = Tasks(_report_bug)
    spending = make_spending(builder.catalogue, place, store, builder.prices, tasks)
    attachments = _attachments(place, tools, workspaces)
    return World(
        builder=builder,
        store=with_temporary(store),
        models=MeteredModels(models, spending),
        spending=spending,
        prices=spending.prices,
        toolbox=tools,
        attachments=attachments,
        folders=make_folders(store, attachments, builder, models, place),
        folder_watch=SystemFolderWatch(),
        web_search=HttpSearch(
            lambda: place.preferences().search,
            lambda url: keys.find(origin(url)),
            place.net,
            place.check_sending,
        ),
        workspaces=workspaces,
        rooms=WorkspaceToolboxes(_toolbox, tools, lambda folder: _tool_servers(folder, place)),
        folder_offer=_folder_offer,
        utc=MachineClock(),
        new_id=new_id,
        tasks=tasks,
        limits=Limits(waits, preferences.max_tool_rounds, check_facts=preferences.check_facts),
        preferences=FolderPreferences(place),
        keys=keys,
        exchange=FolderExchange(),
        prefer=lambda new: _prefer(new, place, models, tools, builder),
        # Keeping a key for a server is not sending it there.
        origin_of=lambda address: origin(check_base_url(address, lambda _: True)),
        elara=elara,
        watch=lambda: _watch(place),
        sessions=HomeSessions(place),
        matches=ExpressionSearch(search_command()).matches,
    )


def _attachments(place: ProgramFolder, tools: MovableTools, workspaces: Workspaces) -> FileAttachments:
    return FileAttachments(
        ChildExtractor(
            launch=Launch(environment=_child_environment("SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONPATH"))
        ),
        lambda: place.preferences().attach,
        Naming(
            _home(),
            lambda: str(workspace_folder(tools.workspace)),
            str(place.folder),
            lambda: workspaces.folders,
        ),
        WebPages(may_send=place.check_sending, net=place.net),
    )


def make_folders(
    store: HistoryStore,
    attachments: FileAttachments,
    builder: Builder,
    models: NamedModels,
    place: ProgramFolder,
) -> FollowedFolders:
    """Makes what searches followed folders."""
    return FollowedFolders(
        FolderIndexer(folder_index(store), attachments),
        builder.recall,
        lambda: read_related(resource_path("related-words.txt").read_text("utf-8")),
        Meaning(lambda: place.preferences().embeddings, models.embedder),
    )


def make_spending(
    catalogue: ModelCatalogue,
    place: ProgramFolder,
    store: HistoryStore,
    prices: PriceList | None = None,
    tasks: Tasks | None = None,
) -> Spending:
    """Makes what counts requests and keeps the caps."""
    known = prices or LatePrices(resource_path("prices.toml"))
    caps, tasks = lambda: place.preferences().spend, tasks or Tasks(_report_bug)
    return Spending(spend_ledger(store), known, catalogue, MachineClock(), caps, tasks)


def _watch(place: ProgramFolder) -> ProgramWatch:
    from workbench.wiring.watch import WindowWatch

    return WindowWatch(place)


def _prefer(
    new: Preferences, place: ProgramFolder, models: NamedModels, tools: MovableTools, builder: Builder
) -> None:
    """Applies new preferences to new chats, servers and tools; the catalogue is only read at start."""
    place.prefer(new)
    models.serve(new.servers, new.addresses, new.sessions)
    tools.move(new.workspace)
    if new.redaction != builder.guard.mode:
        builder.guard.prefer(new.redaction)


def make_models(builder: Builder, place: ProgramFolder, keys: ProviderKeys) -> NamedModels:
    """Makes the models that can be named; starts none."""
    files = _model_files(place)
    return NamedModels(
        catalogue=builder.catalogue,
        keys=keys,
        make_builtin=lambda name: _builtin(name, files),
        builtin_advice=lambda: "" if files.find() is not None else "run `workbench models install`",
        builtin_damage=lambda: "" if files.find_intact() is not None else "run `workbench models install`",
        servers=place.preferences().servers,
        addresses=place.preferences().addresses,
        sessions=place.preferences().sessions,
        learnt=LearntFile(place.folder),
        may_send=place.check_sending,
        net=place.net,
    )


def _builtin(name: str, files: ModelFiles) -> ChatModel:
    from workbench.providers.builtin.model import BuiltinModel, BuiltinSource, gguf_source

    if name != "builtin":
        return BuiltinModel(replace(gguf_source(name), tune=_with_clean_environment))
    found, counts = (files.find, MISSING), "server:builtin"
    return BuiltinModel(
        BuiltinSource(name, *found, counts, _with_clean_environment, files.find_intact_or_fail)
    )


def _with_clean_environment(setup: LlamaSetup) -> LlamaSetup:
    """Gives the model's child process only the variables it needs, without our passphrase, keys and proxy."""
    wanted = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LANG", "HOME", "PYTHONPATH")
    return replace(setup, environment=_child_environment(*wanted))


def _child_environment(*names: str) -> dict[str, str]:
    """Returns the named variables of our environment, for a child process."""
    return {name: os.environ[name] for name in names if name in os.environ}


def _model_files(place: ProgramFolder) -> ModelFiles:
    described = resource_path("builtin-model.toml")
    return ModelFiles(load_builtin_file(described), place.folder, beside=described.with_name("models"))


async def install_model(place: ProgramFolder, told: Callable[[str], None]) -> str:
    """Fetches the built-in model; returns its path."""
    from workbench.providers.builtin.install import ModelInstaller

    place.check_sending()
    files, rules = _model_files(place), place.net.rules
    if rules.offline and files.find_intact() is None:
        raise NotSent(OFFLINE)
    installer = ModelInstaller(files, environment=child_environment(rules))
    return str(await installer.install(lambda what, _: told(what)))


def _toolbox(workspace: str) -> Toolbox:
    return WorkspaceTools(workspace_folder(workspace))


def _tool_servers(folder: str, place: ProgramFolder) -> ToolServers:
    # Late: it loads the library of tool servers, which most people never need.
    from workbench.tools.mcp.servers import McpServers

    return McpServers(os.environ, folder, may_send=place.check_sending, net=place.net)


def _folder_offer(folder: str) -> FolderOffer:
    from workbench.settings.workspace_file import read_offer

    return read_offer(folder)


def _home() -> str:
    try:
        return str(Path.home().resolve())
    except (OSError, RuntimeError):
        return ""


def workspace_folder(workspace: str) -> Path:
    """Returns the folder that tools are bound to: the chosen one, else where the program was started."""
    return Path(workspace or os.curdir).resolve()


def all_tools(workspace: str) -> tuple[ToolDefinition, ...]:
    """Returns the definitions of all tools."""
    return tuple(tool.definition for tool in _toolbox(workspace).tools)


def new_chat_settings(place: ProgramFolder, tools: bool) -> ContextSettings:
    """Returns the settings of a new chat: preferences, persona, and tools where they are wanted."""
    preferences, prompts = place.preferences(), shipped_prompts()
    persona = f"{prompts.persona}\n\n{prompts.explore_first}" if tools else prompts.persona
    settings = replace(NEW_CHAT, model=preferences.model, persona=PersonaSources(default=persona))
    settings = merge_preferences(settings, preferences.context)
    if not tools:
        return settings
    wanted = preferences.tools_enabled
    definitions = all_tools(preferences.workspace)
    chosen = tuple(one for one in definitions if not wanted or one.name in wanted)
    return replace(settings, tools=chosen, tool_guidelines=prompts.tool_guidelines)


def _given_key(name: str | None, origin: str | None) -> ProviderKeys | None:
    if name is None:
        return None
    if origin is None:
        raise InvalidInput("--key-env", tr("this model is on this computer and needs no key"))
    value = os.environ.get(name)
    if not value:
        raise InvalidInput("--key-env", tr("the environment has no {name}, or it is empty", name=name))
    return GivenKey(origin, Secret.of_text(value))


def _report_bug(name: str, error: BaseException) -> None:
    logging.getLogger("workbench").error("%s failed", name, exc_info=error)
    tell(
        tr(
            "workbench: {name} failed unexpectedly ({name_2}); what was kept before is safe",
            name=name,
            name_2=type(error).__name__,
        )
    )
