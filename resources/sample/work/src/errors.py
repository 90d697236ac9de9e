"""What can go wrong with a token, each with what to do about it."""

from __future__ import annotations


class TokenError(Exception):
    """Anything about a token."""

    advice = "Try again."


class TooOld(TokenError):
    """It cannot be renewed any more."""

    advice = "Sign in again."


class Refused(TokenError):
    """The service said no."""

    advice = "Ask the platform team."
