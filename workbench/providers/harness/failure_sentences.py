"""What a person is told when a model does not answer: what happened, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

SENTENCES: Mapping[str, str] = {
    "auth": "{host} did not accept the key. Check the key that is kept for this address, and send again.",
    "no_key": "{host} asks for a key, and none is kept for this address. Enter one, and send again.",
    "bad_key": "The key for {host} has characters that no key has, so nothing was sent. Enter it again.",
    "rate": "{host} takes no more requests for now. Wait{wait}, and send again.",
    "credit": "The account at {host} has no credit left. Add some there, or choose another model.",
    "status_server": "{host} has a problem of its own (status {status}). Try again in a while.",
    "status_request": "{host} refused the request (status {status}). Check the model and its settings.",
    "status_timeout": "{host} gave up waiting for the request (status {status}). Send again.",
    "status_too_big": "{host} takes no request as big as this one (status {status}). Leave something out.",
    "missing": "{host} has no model “{model}”, or nothing at this address (status {status}). Check both.",
    "in_stream": "{host} broke the answer off with an error. Send again.",
    "context": "The request is longer than the model's window{numbers}. Leave something out, or use a larger window.",
    "dropped": "{host} dropped the beginning of the request without saying so: it is longer than the window{numbers}. "
    "What came was answered without it. Leave something out, or choose a larger window.",
    "unreachable": "Nothing answers at {host}. Check that the server runs and that the address is right.",
    "unknown_host": "No address is known for {host}. Check its spelling, and the network.",
    "broken": "The connection to {host} broke. Check the network, and send again.",
    "unsendable": "The request cannot be written as {host} expects it. Check the model and its settings.",
    "tls": "The certificate of {host} cannot be verified, so nothing was sent. Check the address; do not enter a key.",
    "connect": "{host} did not accept a connection in time. Check the network, or try again in a while.",
    "first": "{host} did not begin to answer within {seconds} s. Try again, or allow more time in the settings.",
    "idle": "{host} stopped in the middle of the answer, and was silent for {seconds} s. Send again, or go on.",
    "redirected": "{host} pointed to another address ({what}); nothing was sent there. Enter the right one.",
    "page": "{host} answered with a web page. Sign in to the network if it asks for that, or check the address.",
    "document": "{host} answered with something that is not a stream. Check the address and the server.",
    "garbled": "{host} sent {what}. Send again; if it stays so, the server is broken.",
    "cut": "{host} cut the answer off before its end. Send again, or go on from here.",
    "encoded": "{host} sent a compressed answer, which was not asked for; it was not unpacked. Check the server.",
    "big": "{host} sent {what}, which is more than is taken. Check the server.",
    "empty": "{host} ended the answer without a word. Send again, or change the question.",
    "empty_length": "{host} ended the answer before its first word: the limit for answers is too small. Raise it.",
    "empty_filter": "{host} held the answer back because of its content rules. Change the question.",
    "unexpected": "The answer from {host} could not be read ({what}). Send again.",
}  # fmt: skip

STOPPED_EMPTY: Mapping[str, str] = {
    "length": "empty_length",
    "content_filter": "empty_filter",
    "refusal": "empty_filter",
}


def numbers_in_words(limit_tokens: int | None, asked_tokens: int | None) -> str:
    """The numbers that are known, in brackets."""
    if limit_tokens and asked_tokens:
        return f" (it has {asked_tokens:,} tokens, {limit_tokens:,} fit)"
    if limit_tokens:
        return f" ({limit_tokens:,} tokens fit)"
    return f" (it has {asked_tokens:,} tokens)" if asked_tokens else ""
