"""For which servers there are keys, where that can be seen without asking anybody for a secret."""

from __future__ import annotations

from argparse import Namespace

from workbench.providers.harness.given_key import NoKeys
from workbench.wiring.folder import has_keys, history, provider_keys


class UnaskedKeys(NoKeys):
    """Looks into the store where what was given, or the keyring, opens it; makes none → ProviderKeys.

    What it finds is for lists of what can be used: it hands out no key.
    """

    def __init__(self, arguments: Namespace) -> None:
        self._arguments = arguments

    async def origins(self) -> tuple[str, ...]:
        """For which origins there are keys; `WorkbenchError` where the store cannot be looked into."""
        if not has_keys(self._arguments):
            return ()
        store = await history(self._arguments, asking=False).open(writable=False)
        try:
            return await provider_keys(store).origins()
        finally:
            await store.close()
