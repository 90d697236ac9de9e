"""A key or a password that was found in a text: what it looks like and where it stands, never what it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

SecretKind = Literal[
    "openai", "anthropic", "openrouter", "github", "gitlab", "aws", "aws_secret", "google", "slack", "stripe",
    "private_key", "jwt", "npm", "pypi", "hugging_face", "groq", "sendgrid", "twilio", "azure", "url_password",
    "bearer", "password", "api_key", "token", "secret",
]  # fmt: skip
SECRET_KINDS: tuple[SecretKind, ...] = get_args(SecretKind)

_WORDS: dict[SecretKind, str] = {
    "openai": "an OpenAI key",
    "anthropic": "an Anthropic key",
    "openrouter": "an OpenRouter key",
    "github": "a GitHub key",
    "gitlab": "a GitLab key",
    "aws": "an AWS key",
    "aws_secret": "an AWS secret key",
    "google": "a Google key",
    "slack": "a Slack token",
    "stripe": "a Stripe key",
    "private_key": "a private key",
    "jwt": "a signed token (JWT)",
    "npm": "an npm token",
    "pypi": "a PyPI token",
    "hugging_face": "a Hugging Face token",
    "groq": "a Groq key",
    "sendgrid": "a SendGrid key",
    "twilio": "a Twilio key",
    "azure": "an Azure key",
    "url_password": "a password in an address",
    "bearer": "a bearer token",
    "password": "a password",
    "api_key": "an API key",
    "token": "a token",
    "secret": "a secret",
}


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """One of them.

    Attributes:
        line: counted from 1.
        start, end: the characters it takes in its text.
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
        """What it looks like."""
        return _WORDS[self.kind]

    @property
    def replacement(self) -> str:
        """What stands in its place where it is not sent; no quotes, so that JSON around it stays JSON."""
        return f"[{self.words.partition(' ')[2]} was here]"
