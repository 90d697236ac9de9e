"""Values that must not be shown: passphrases, keys, recovery codes; and findings of them in texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hmac import compare_digest
from typing import Literal, NoReturn, get_args

from workbench.domain.translation import tr


class WipedBytes(bytearray):
    """Bytes that are overwritten when the last reference to them is gone, be it a view."""

    def __del__(self) -> None:
        self[:] = bytes(len(self))


class Secret:
    """Bytes that are revealed only by an explicit call, and overwritten when nothing refers to the secret any more.

    Printing, formatting, logging or comparing one gives nothing away, and it cannot be pickled. Copies that were
    revealed are not overwritten; `view` makes none.
    """

    __slots__ = ("_value",)

    def __init__(self, value: bytes | WipedBytes) -> None:
        self._value = value if isinstance(value, WipedBytes) else WipedBytes(value)

    @classmethod
    def of_text(cls, text: str) -> Secret:
        """A secret of the text's UTF-8 bytes."""
        return cls(text.encode("utf-8", "surrogatepass"))

    def reveal(self) -> bytes:
        """A copy of the bytes."""
        return bytes(self._value)

    def view(self) -> memoryview:
        """The bytes themselves, for libraries that read them without a copy."""
        return memoryview(self._value).toreadonly()

    def reveal_text(self) -> str:
        """The bytes decoded as text."""
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


# Patterns that give a key away in a document where none belongs: its name, or how it begins.


KEY_NAME = re.compile(
    r"(^|[_.-]|api)(key|token|secret|password|passphrase|credential|auth|authorization|bearer)s?$",
    re.IGNORECASE,
)
# Nobody's words: what providers begin their keys with, a digit somewhere after it; and names or passwords in addresses.
KEY_VALUE = re.compile(
    r"(?<![A-Za-z0-9])((sk|pk|rk|xai|gsk|hf|ghp|github_pat)[-_]|AIza|AKIA|ya29\.|eyJ)(?=[A-Za-z_.-]*\d)[\w.-]{8,}"
    r"|://[^/\s]*@|bearer\s+\S{8,}",
    re.IGNORECASE,
)


# A key or a password that was found in a text: what it looks like and where it stands, never what it is.


SecretKind = Literal[
    "openai", "anthropic", "openrouter", "github", "gitlab", "aws", "aws_secret", "google", "slack", "stripe",
    "private_key", "jwt", "npm", "pypi", "hugging_face", "groq", "sendgrid", "twilio", "azure", "url_password",
    "bearer", "password", "api_key", "token", "secret",
]  # fmt: skip
SECRET_KINDS: tuple[SecretKind, ...] = get_args(SecretKind)

_WORDS: dict[SecretKind, str] = {
    "openai": tr("an OpenAI key"),
    "anthropic": tr("an Anthropic key"),
    "openrouter": tr("an OpenRouter key"),
    "github": tr("a GitHub key"),
    "gitlab": tr("a GitLab key"),
    "aws": tr("an AWS key"),
    "aws_secret": tr("an AWS secret key"),
    "google": tr("a Google key"),
    "slack": tr("a Slack token"),
    "stripe": tr("a Stripe key"),
    "private_key": tr("a private key"),
    "jwt": tr("a signed token (JWT)"),
    "npm": tr("an npm token"),
    "pypi": tr("a PyPI token"),
    "hugging_face": tr("a Hugging Face token"),
    "groq": tr("a Groq key"),
    "sendgrid": tr("a SendGrid key"),
    "twilio": tr("a Twilio key"),
    "azure": tr("an Azure key"),
    "url_password": tr("a password in an address"),
    "bearer": tr("a bearer token"),
    "password": "a password",
    "api_key": tr("an API key"),
    "token": "a token",
    "secret": "a secret",
}


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A key or password found in a text.

    Attributes:
        line: counted from 1.
        start, end: its span in the text.
        hint: the beginning that every key of its kind has, such as "ghp_…"; empty where there is none.
        replaced: whether something else is sent in its place.
    """

    kind: SecretKind
    line: int
    start: int
    end: int
    hint: str = ""
    replaced: bool = False

    @property
    def words(self) -> str:
        """Its kind, in words."""
        return _WORDS[self.kind]

    @property
    def replacement(self) -> str:
        """The placeholder sent instead; without quotes, so that JSON around it stays valid."""
        return f"[{self.words.partition(' ')[2]} was here]"


# What may be known about the keys of a store without knowing a key.


ProtectorKind = Literal["passphrase", "key_file", "keyring", "recovery"]
PROTECTOR_KINDS: tuple[ProtectorKind, ...] = get_args(ProtectorKind)


@dataclass(frozen=True, slots=True)
class StoreIdentity:
    """Identifies a database and its current key, in both the key file and the database."""

    database_id: str
    generation: int


@dataclass(frozen=True, slots=True)
class ProtectorStatus:
    """One way to open the store, and since when it exists."""

    kind: ProtectorKind
    created: str


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """The state of the keys of one data folder.

    Attributes:
        created: when the store was made; `key_created`: when its present key was.
        rotating: a change of key was interrupted; the next opening finishes or undoes it.
    """

    identity: StoreIdentity
    created: str
    key_created: str
    protectors: tuple[ProtectorStatus, ...]
    rotating: bool
