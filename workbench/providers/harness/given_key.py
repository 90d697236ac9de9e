"""A provider's key that was given for this call only, from a place the user named."""

from __future__ import annotations

from workbench.domain.secrets import Secret


class GivenKey:
    """Belongs to the origin of the model that this call asks, and to no other → ProviderKeys."""

    def __init__(self, origin: str, key: Secret) -> None:
        self._origin, self._key = origin, key

    async def find(self, origin: str) -> Secret | None:
        """The key, for the origin it belongs to."""
        return self._key if origin == self._origin else None

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Nothing is kept beyond this call."""

    async def origins(self) -> tuple[str, ...]:
        """The origin it belongs to."""
        return (self._origin,)


class NoKeys:
    """Where no key is wanted or can be looked at → ProviderKeys."""

    async def find(self, origin: str) -> Secret | None:
        return None

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Nothing is kept."""

    async def origins(self) -> tuple[str, ...]:
        return ()
