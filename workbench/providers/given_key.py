"""A provider's key that was given for this call only, from a place the user named."""

from __future__ import annotations

from workbench.domain.secret import Secret


class GivenKey:
    """Belongs to the first origin that asks for it, and to no other → ProviderKeys.

    One call talks to one model; should a second address come up, it does not get the first one's key.
    """

    def __init__(self, key: Secret) -> None:
        self._key = key
        self._origin: str | None = None

    async def find(self, origin: str) -> Secret | None:
        """The key, for the origin it has come to belong to."""
        self._origin = self._origin or origin
        return self._key if origin == self._origin else None

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Nothing is kept beyond this call."""

    async def origins(self) -> tuple[str, ...]:
        """The origin it belongs to by now."""
        return () if self._origin is None else (self._origin,)


class NoKeys:
    """Where no key can be looked at, because the store is closed → ProviderKeys."""

    async def find(self, origin: str) -> Secret | None:
        """None."""
        return None

    async def keep(self, origin: str, key: Secret | None) -> None:
        """Nothing is kept."""

    async def origins(self) -> tuple[str, ...]:
        """None."""
        return ()
