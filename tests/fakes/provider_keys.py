"""Provider keys in memory."""

from __future__ import annotations

from workbench.domain.errors import UnusableSecret
from workbench.domain.secrets import Secret


class MemoryProviderKeys:
    """Keeps keys until they are forgotten → ProviderKeys."""

    def __init__(self) -> None:
        self.kept: dict[str, Secret] = {}

    async def find(self, origin: str) -> Secret | None:
        """The key for that origin."""
        return self.kept.get(origin)

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Keep a key, or with None forget it."""
        if key is None:
            self.kept.pop(origin, None)
        elif not key:
            raise UnusableSecret("An empty key opens nothing.", "Give it as the provider shows it.")
        else:
            self.kept[origin] = key

    async def origins(self) -> tuple[str, ...]:
        """For which origins there are keys."""
        return tuple(sorted(self.kept))
