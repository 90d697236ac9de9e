"""A provider's key that is given for this run only, such as from an environment variable."""

from __future__ import annotations

from workbench.domain.secrets import Secret


class GivenKey:
    """A key for the origin of one model, and no other → ProviderKeys."""

    def __init__(self, origin: str, key: Secret) -> None:
        self._origin, self._key = origin, key

    async def find(self, origin: str) -> Secret | None:
        """Returns the key, for its own origin only."""
        return self._key if origin == self._origin else None

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Stores nothing."""

    async def origins(self) -> tuple[str, ...]:
        """Returns the key's origin."""
        return (self._origin,)


class NoKeys:
    """No keys, where none is needed or can be read → ProviderKeys."""

    async def find(self, origin: str) -> Secret | None:
        return None

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Stores nothing."""

    async def origins(self) -> tuple[str, ...]:
        return ()
