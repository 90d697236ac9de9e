"""A given in memory: an engine of fakes behind the real window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fakes.engine import SETTINGS, TickingUtc, fake_world
from tests.fakes.history import MemoryHistory
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.domain.errors import WrongSecret
from workbench.domain.record import Chat, ChatArchive
from workbench.domain.secrets import KeyStatus, ProtectorStatus, Secret, StoreIdentity
from workbench.domain.tool import ToolDefinition
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.sources.resources import guide_picture, shipped_guide
from workbench.ui.given import Choice, Given, Report, Toolroom

RIGHT = Secret.of_text("right")
CODE = Secret.of_text("ABCD-EFGH")
TOOLS = tuple(ToolDefinition(name, f"It can {name}.", "{}") for name in ("ls", "read", "write"))


class PaperKeyKeeper:
    """Keys that only a test believes in → KeyKeeper."""

    def __init__(self) -> None:
        self.kinds = ["passphrase", "recovery"]
        self.passphrases: list[Secret] = []

    def status(self) -> KeyStatus:
        """What opens the store."""
        protectors = tuple(ProtectorStatus(kind, "2026-01-01") for kind in self.kinds)  # type: ignore[arg-type]
        return KeyStatus(StoreIdentity("paper", 1), "", "", protectors, False)

    def check(self, text: Secret) -> None:
        """Only the right one is right."""
        if text != RIGHT:
            raise WrongSecret("The passphrase")

    def change_passphrase(self, choose: Callable[[], Secret]) -> None:
        """Another one."""
        self.passphrases.append(choose())

    def new_recovery_code(self) -> Secret:
        """Always the same."""
        return CODE

    def use_keyring(self, wanted: bool) -> None:
        """On or off."""
        self.kinds = [kind for kind in self.kinds if kind != "keyring"] + (["keyring"] if wanted else [])

    def rotate(self) -> KeyStatus:
        """Nothing to turn."""
        return self.status()


class PaperGiven:
    """Makes a given whose store is in memory; `needs` is what opens it."""

    def __init__(self, *, exists: bool = True, needs: Secret | None = None) -> None:
        self.exists, self.needs = exists, needs
        self.store, self.keeper = MemoryHistory(), PaperKeyKeeper()
        self.made: list[Choice] = []
        self._ids = 0

    def given(self, **changes: Any) -> Given:
        """The given."""
        given: dict[str, Any] = {
            "place": "/data",
            "version": "1",
            "throwaway": lambda: False,
            "load": lambda: None,
            "store_exists": lambda: self.exists,
            "keyring_problem": lambda: "",
            "create": self._create,
            "open": self._open,
            "world": self._world,
            "guide": shipped_guide,
            "guide_picture": guide_picture,
            "keys": lambda: self.keeper,
            "new_chat_settings": lambda tools: SETTINGS,
            "toolroom": lambda: Toolroom("/home/ada/app", TOOLS),
            "sample": self._sample,
            "redact": lambda text: text,
            "new_id": self._new_id,
            "utc_now": lambda: "2026-01-01T12:00:00Z",
            **changes,
        }
        return Given(**given)

    async def _create(self, choice: Choice) -> Secret:
        self.made.append(choice)
        self.exists = True
        self.needs = choice.passphrase
        return CODE

    async def look(self) -> HistoryStore:
        """The store without its keys."""
        return self.store

    async def _open(self, secret: Secret | None) -> HistoryStore:
        if self.needs is not None and secret != self.needs:
            raise WrongSecret("Not the right passphrase. Nothing was changed.")
        return self.store

    def _world(self, store: HistoryStore, report: Report) -> World:
        return fake_world(store=store, workspaces=Workspaces(MemoryWorkspaces(self.store), TickingUtc()))

    def _sample(self) -> ChatArchive:
        return ChatArchive(Chat(self._new_id(), "2026-01-01T00:00:00Z", "Sample", SETTINGS))

    def _new_id(self) -> str:
        self._ids += 1
        return f"new{self._ids}"
