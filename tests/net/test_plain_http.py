"""Servers in one's own network without encryption: only where that is allowed, and only as long as they are in it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.fakes.answers import question
from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from workbench.domain.answer import ModelFailed
from workbench.domain.errors import InvalidInput
from workbench.domain.secrets import Secret
from workbench.net.connections import Connections
from workbench.net.rules import NotSent, Rules, may_be_private, target_of
from workbench.providers.ollama.model import OllamaModel
from workbench.providers.openai.model import OpenAiModel
from workbench.providers.wire.endpoint import endpoint_of
from workbench.providers.wire.guarded_transport import guarded_client
from workbench.providers.wire.transport import Guard

KEY = Secret.of_text("sk-canary-0123456789")
NAMES = ("server:http://{place}#m", "ollama:m@http://{place}", "completion:http://{place}#m")


async def fine(connection: Connection) -> None:
    await connection.whole(b"fine", "text/plain")


async def refusing(connection: Connection) -> None:
    await connection.whole(b"{}", "application/json", "401 Unauthorized")


def standing_for(*addresses: str):
    async def look_up(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return addresses

    asked: list[str] = []
    return look_up


def allowing(origin: str, *addresses: str, key: bool = False) -> Connections:
    with_key = frozenset({origin} if key else ())
    rules = Rules(
        proxy="http://nowhere.invalid:1", plain_http=frozenset({origin}), plain_http_with_key=with_key
    )
    return Connections(rules, look_up=standing_for(*addresses))


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("nas", True), ("nas.local", True), ("gpu.lab.lan", True), ("192.168.1.9", True), ("10.0.0.1", True),
        ("fd00::9", True), ("models.example", False), ("evil.lan.example", False), ("8.8.8.8", False),
        ("169.254.169.254", False),
    ],
)  # fmt: skip
def test_which_hosts_can_be_allowed(host: str, private: bool):
    assert may_be_private(host) is private


@pytest.mark.parametrize("name", NAMES)
def test_without_leave_the_refusal_names_what_gives_it(name: str):
    with pytest.raises(
        InvalidInput, match=r'tick it for this server in Settings, or add "http://nas.lan:8000" to'
    ):
        endpoint_of(name.format(place="nas.lan:8000"), lambda _: None)
    endpoint_of(name.format(place="nas.lan:8000"), lambda _: None, net=allowing("http://nas.lan:8000"))


@pytest.mark.parametrize("name", NAMES)
def test_no_leave_is_possible_for_what_is_public(name: str):
    net = allowing("http://models.example:80")
    with pytest.raises(InvalidInput, match="can be read on the way; use https"):
        endpoint_of(name.format(place="models.example"), lambda _: None, net=net)


@in_loop
async def test_the_address_that_was_checked_is_the_one_that_is_asked_and_no_proxy():
    """nas.lan is looked up once; nothing else could connect to it here."""
    async with FaultServer({"ok": fine}) as server:
        origin = f"http://nas.lan:{server.port}"
        async with guarded_client(Guard(origin), net=allowing(origin, "127.0.0.1")) as client:
            assert (await client.get(f"{origin}/ok")).content == b"fine"
        assert server.asked[0].headers["host"] == f"nas.lan:{server.port}"


@pytest.mark.parametrize(
    "addresses", [("127.0.0.1", "203.0.113.5"), ("169.254.169.254",), ("fe80::1%eth0",), ("::ffff:8.8.8.8",)]
)
@in_loop
async def test_one_address_elsewhere_is_enough_to_send_nothing(addresses: tuple[str, ...]):
    async with FaultServer({"ok": fine}) as server:
        origin = f"http://nas.lan:{server.port}"
        async with guarded_client(Guard(origin), net=allowing(origin, *addresses)) as client:
            with pytest.raises(NotSent, match="which is not in your own network"):
                await client.get(f"{origin}/ok")
        assert server.connections == 0


@in_loop
async def test_another_address_is_tried_where_the_first_does_not_answer():
    async with FaultServer({"ok": fine}) as server:
        origin = f"http://nas.lan:{server.port}"
        net = allowing(origin, "127.77.77.77", "127.0.0.1")
        async with guarded_client(Guard(origin), net=net) as client:
            assert (await client.get(f"{origin}/ok")).content == b"fine"


@in_loop
async def test_leave_that_is_taken_back_holds_for_what_is_open():
    async with FaultServer({"ok": fine}) as server:
        origin = f"http://nas.lan:{server.port}"
        net = allowing(origin, "127.0.0.1")
        async with guarded_client(Guard(origin), net=net) as client:
            await client.get(f"{origin}/ok")
            net.rules = Rules()
            with pytest.raises(NotSent, match="plain_http"):
                await client.get(f"{origin}/ok")
        assert server.connections == 1


@pytest.mark.parametrize("ticked", [False, True])
@in_loop
async def test_a_key_goes_along_only_where_that_is_allowed_as_well(ticked: bool):
    async with FaultServer({"ok": fine}) as server:
        origin = f"http://nas.lan:{server.port}"
        net = allowing(origin, "127.0.0.1", key=ticked)
        async with guarded_client(Guard(origin, KEY), net=net) as client:
            await client.get(f"{origin}/ok")
        assert ("authorization" in server.asked[0].headers) is ticked


@in_loop
async def test_a_server_that_wants_the_key_that_was_kept_back_says_so():
    async with FaultServer({"v1": refusing}) as server:
        origin = f"http://nas.lan:{server.port}"
        endpoint = endpoint_of(f"server:{origin}#m", lambda _: KEY, net=allowing(origin, "127.0.0.1"))
        model = OpenAiModel(endpoint)
        with pytest.raises(ModelFailed, match=r"yours was not sent: .*plain_http_with_key"):
            async for _ in model.stream(question()):
                pass
        await model.close()


@in_loop
async def test_whether_ollama_is_there_is_asked_at_the_checked_address_too():
    async with FaultServer({"api": fine}) as server:
        origin = f"http://nas.lan:{server.port}"
        away = OllamaModel(endpoint_of(f"ollama:m@{origin}", lambda _: None, net=allowing(origin, "8.8.8.8")))
        assert await away.served() == ()
        await away.close()
        assert server.connections == 0


def test_pages_keep_their_own_rule():
    """They are public by themselves; whether their addresses are is looked at where they are fetched."""
    Connections().begin(target_of("http://pages.example"), "page")
    with pytest.raises(NotSent):
        Connections().begin(target_of("http://pages.example"), "model")
