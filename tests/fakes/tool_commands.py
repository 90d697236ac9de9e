"""`workbench tools` on a workspace in memory, with servers that are real programs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.engine import SETTINGS, TickingUtc, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.mcp_runs import tool_servers
from tests.fakes.parts import parts_with
from tests.fakes.provider_keys import MemoryProviderKeys
from tests.fakes.schemas import problems
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.cli.main import run
from workbench.cli.services import Services, WorldOptions
from workbench.domain.record import Chat
from workbench.domain.workspace import Filed, Workspace, template_of
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.settings.workspace_file import read_offer
from workbench.tools.workspace_toolboxes import WorkspaceToolboxes


@dataclass
class ToolRoom:
    """A store with workspaces, called as a shell calls it."""

    capsys: pytest.CaptureFixture[str]
    environment: dict[str, str] = field(default_factory=dict)
    actions: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.access, self.keys = MemoryAccess(), MemoryProviderKeys()
        self.places = MemoryWorkspaces(self.access.store)

    async def make(self, name: str, folder: Path | None = None) -> None:
        """A workspace of that name."""
        place = Workspace(name.lower(), name, folder="" if folder is None else str(folder))
        await self.places.save_workspace(place)
        template = Chat(template_of(place.id), "", name, SETTINGS, filed=Filed(place.id))
        await self.access.store.create_chat(template)

    def call(self, *argv: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        code = run(["tools", *argv], lambda _arguments: self._services())
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def found(self, *argv: str) -> Any:
        """The document of a call that does what it should; it fits the schema, as what its action prints."""
        end = argv.index("--") if "--" in argv else len(argv)
        code, out, err = self.call(*argv[:end], "--json", *argv[end:])
        assert code == 0, err
        document = json.loads(out)
        assert problems("tools", document) == problems("tools", document, argv[0]) == []
        self.actions.add(argv[0])
        return document

    def _services(self) -> Services:
        return parts_with(
            history=lambda: self.access,
            keys=lambda: self.access.keys,
            world=self._world,
            workspaces=lambda store: self.places,
            provider_keys=lambda store: self.keys,
            environment=self.environment.get,
        )

    def _world(self, store: HistoryStore, wishes: WorldOptions) -> World:
        return fake_world(
            store=store,
            workspaces=Workspaces(self.places, TickingUtc()),
            toolbox=FakeToolbox(),
            keys=self.keys,
            rooms=WorkspaceToolboxes(lambda where: FakeToolbox(), FakeToolbox(), tool_servers),
            folder_offer=read_offer,
        )
