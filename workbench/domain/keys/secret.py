"""A value that must not be shown: a passphrase, a key, a recovery code."""

from __future__ import annotations

from hmac import compare_digest
from typing import NoReturn


class Secret:
    """Bytes that show themselves only when asked by name.

    Printing, formatting, logging or comparing one gives nothing away, and it cannot be pickled. Wiping memory is not
    promised: Python copies freely.
    """

    __slots__ = ("_value",)

    def __init__(self, value: bytes) -> None:
        self._value = bytes(value)

    @classmethod
    def of_text(cls, text: str) -> Secret:
        """The secret whose bytes are the text's."""
        return cls(text.encode("utf-8", "surrogatepass"))

    def reveal(self) -> bytes:
        return self._value

    def reveal_text(self) -> str:
        """The bytes as the text they were made of."""
        return self._value.decode("utf-8", "surrogatepass")

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and compare_digest(self._value, other._value)

    __hash__ = None  # type: ignore[assignment]  # a hash of a secret is a hint about it

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written out")
