"""What may go out, and what is taken in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping

import pytest

from workbench.domain.secrets import Secret
from workbench.providers.wire.faults import (
    Encoded,
    KeyUnusable,
    NotAStream,
    Redirected,
    Refused,
    TooBig,
    WireFault,
)
from workbench.providers.wire.transport import Caps, Guard

SMALL = Caps(stream_bytes=100, document_bytes=10, refusal_bytes=20)
HERE = "https://here.example:443"


async def pieces(*parts: bytes, then: Exception | None = None) -> AsyncGenerator[bytes, None]:
    for part in parts:
        yield part
    if then is not None:
        raise then


def admit(
    status: int, headers: Mapping[str, str] | None = None, body: bytes = b"", **failing: Exception
) -> None:
    asyncio.run(Guard(HERE, caps=SMALL).admit(status, headers or {}, pieces(body, **failing)))


def sent(guard: Guard, *headers: tuple[bytes, bytes]) -> dict[bytes, bytes]:
    return dict(guard.outgoing(headers))


def test_only_known_headers_go_out_with_our_own():
    headers = (b"Content-Type", b"a"), (b"X-Stainless-OS", b"Linux"), (b"api-key", b"x"), (b"Cookie", b"c")
    assert sent(Guard(HERE), *headers) == {
        b"Content-Type": b"a",
        b"accept-encoding": b"identity",
        b"user-agent": b"context-workbench",
    }


def test_headers_that_a_provider_needs_can_be_named():
    assert b"X-Version" in sent(Guard(HERE, also_sent=frozenset({b"x-version"})), (b"X-Version", b"1"))


def test_the_key_goes_out_as_a_bearer_token_or_in_a_header_of_its_own():
    key = Secret.of_text(" k \n")
    assert sent(Guard(HERE, key))[b"authorization"] == b"Bearer k"
    assert sent(Guard(HERE, key, "x-api-key"))[b"x-api-key"] == b"k"


def test_a_clients_own_authorization_is_dropped():
    assert b"authorization" not in sent(Guard(HERE), (b"authorization", b"Bearer planted"))
    replaced = Guard(HERE, Secret.of_text("k")).outgoing([(b"Authorization", b"Bearer planted")])
    assert [value for name, value in replaced if name.lower() == b"authorization"] == [b"Bearer k"]


@pytest.mark.parametrize("key", ["schlüssel", "a\nb", "a\0b"])
def test_a_key_that_no_header_can_carry_is_refused_before_anything_is_sent(key: str):
    with pytest.raises(KeyUnusable):
        Guard(HERE, Secret.of_text(key)).outgoing([])


def test_nothing_is_sent_to_another_place():
    Guard(HERE).check_target(HERE)
    with pytest.raises(Redirected):
        Guard(HERE).check_target("https://here.example:444")


def test_a_plain_200_is_admitted():
    admit(200)
    admit(200, {"content-encoding": "Identity"})


@pytest.mark.parametrize(
    ("status", "headers", "fault"),
    [
        (307, {"location": "https://x.example"}, Redirected),
        (304, {}, Redirected),
        (200, {"content-encoding": "gzip"}, Encoded),
        (200, {"content-encoding": "identity, deflate"}, Encoded),
        (204, {}, NotAStream),
        (404, {}, Refused),
    ],
)
def test_anything_else_is_not(status: int, headers: Mapping[str, str], fault: type[WireFault]):
    with pytest.raises(fault):
        admit(status, headers)


def test_a_refusal_keeps_the_beginning_of_its_body():
    with pytest.raises(Refused) as refused:
        admit(500, {"retry-after": "3"}, b"0123456789" * 9)
    assert (refused.value.status, refused.value.body) == (500, b"0123456789" * 2)
    assert refused.value.headers == {"retry-after": "3"}


def test_of_an_endless_refusal_no_more_is_read_than_is_kept():
    read: list[int] = []

    async def endless() -> AsyncGenerator[bytes, None]:
        for number in range(1000):
            read.append(number)
            yield b"0123456789"

    with pytest.raises(Refused) as refused:
        asyncio.run(Guard(HERE, caps=SMALL).admit(500, {}, endless()))
    assert (len(refused.value.body), len(read)) == (SMALL.refusal_bytes, 2)


def test_a_compressed_refusal_is_told_by_its_status_and_not_unpacked():
    with pytest.raises(Refused) as refused:
        admit(503, {"content-encoding": "gzip"}, b"bomb")
    assert (refused.value.status, refused.value.body) == (503, b"")


def test_a_refusal_whose_body_breaks_is_still_a_refusal():
    with pytest.raises(Refused) as refused:
        admit(401, {}, b"half", then=OSError("reset"))
    assert refused.value.body == b"half"


@pytest.mark.parametrize(
    ("content_type", "limit"),
    [("text/event-stream", 100), ("", 100), ("application/x-ndjson", 100), ("application/json", 10), ("text/html", 10)],
)  # fmt: skip
def test_a_body_is_taken_up_to_its_limit(content_type: str, limit: int):
    async def read(size: int) -> int:
        body = Guard(HERE, caps=SMALL).capped({"content-type": content_type}, pieces(b"x" * size))
        return sum([len(piece) async for piece in body])

    assert asyncio.run(read(limit)) == limit
    with pytest.raises(TooBig):
        asyncio.run(read(limit + 1))


def test_headers_are_shown_as_they_are_sent_but_for_the_key():
    given = [("content-type", "application/json"), ("x-evil", "yes")]
    for guard in (
        Guard(HERE, Secret.of_text("sk-1234567")),
        Guard(HERE, Secret.of_text("sk-1234567"), "x-api-key"),
    ):
        shown = dict(guard.shown(given))
        really = sent(guard, *((name.encode(), value.encode()) for name, value in given))
        assert {name: value.decode().replace("sk-1234567", "•••") for name, value in really.items()} == {
            name.encode(): value for name, value in shown.items()
        }
    assert "authorization" not in dict(Guard(HERE).shown(given))


def test_a_key_that_cannot_be_sent_can_still_be_shown_as_hidden():
    """Looking must not fail where sending would; what is wrong with a key is said when it is used."""
    assert dict(Guard(HERE, Secret.of_text("schlüssel")).shown([]))["authorization"] == "Bearer •••"
