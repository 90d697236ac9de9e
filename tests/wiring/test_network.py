"""What the settings say about connections holds for everything that opens one."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.answers import question
from tests.fakes.connect_proxy import ConnectProxy
from tests.fakes.loop import in_loop
from workbench.domain.answer import ModelFailed
from workbench.domain.files.attached import CannotAttach
from workbench.domain.settings.app_preferences import Preferences
from workbench.net.rules import NotSent, Rules, target_of
from workbench.providers.harness.given_key import NoKeys
from workbench.sources.web.fetching import WebPages
from workbench.tools.mcp.servers import McpServers
from workbench.wiring.building import make_builder, make_catalogue
from workbench.wiring.engine import install_model, make_models
from workbench.wiring.folder import ProgramFolder
from workbench.wiring.network import child_environment, net_rules

AROUND = {
    "HTTPS_PROXY": "http://me:pw@p.example:1",
    "NO_PROXY": "a.example, b.example",
    "HTTP_PROXY": "http://x:2",
}


def test_the_environment_is_asked_only_for_the_system_s_proxy(monkeypatch: pytest.MonkeyPatch):
    for name, value in AROUND.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("https_proxy", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert net_rules(Preferences()) == Rules()
    assert net_rules(Preferences(proxy="http://q.example:3")) == Rules("http://q.example:3")
    found = net_rules(Preferences(proxy="system"))
    assert found == Rules("http://me:pw@p.example:1", ("a.example", "b.example"), system=True)
    assert found.proxy_for(target_of("https://api.example")) == "http://me:pw@p.example:1"


def test_servers_without_encryption_are_known_by_their_origins():
    found = net_rules(
        Preferences(plain_http=("http://NAS.lan:8000/v1", "nonsense"), plain_http_with_key=("http://nas",))
    )
    assert found.plain_http == {"http://nas.lan:8000"}
    assert found.plain_http_with_key == {"http://nas:80"}


def test_a_password_in_the_settings_file_is_refused():
    """The file holds no secrets."""
    with pytest.raises(NotSent, match="HTTPS_PROXY"):
        net_rules(Preferences(proxy="http://me:pw@p.example:1")).proxy_for(target_of("https://api.example"))


def test_what_fetches_the_model_goes_by_the_same_proxy():
    assert child_environment(Rules(), {**AROUND, "PATH": "/bin"}) == {"PATH": "/bin"}
    given = child_environment(Rules("http://q:3", ("n",)), AROUND)
    assert given == {"HTTPS_PROXY": "http://q:3", "HTTP_PROXY": "http://q:3", "NO_PROXY": "n"}


def folder(tmp_path: Path, settings: str) -> ProgramFolder:
    (tmp_path / "settings.toml").write_text(settings)
    return ProgramFolder(Namespace(data_dir=str(tmp_path)))


def test_a_change_in_the_settings_holds_at_once(tmp_path: Path):
    place = folder(tmp_path, "offline = true\n")
    assert place.net.rules == Rules(offline=True)
    place.prefer(replace(place.preferences(), offline=False, ca_file="/ca.pem"))
    assert place.net.rules == Rules(ca_file="/ca.pem")


@pytest.mark.parametrize(
    "name",
    [
        "server:https://models.example#m",
        "ollama:m@https://models.example",
        "completion:https://models.example#m",
    ],
)
@in_loop
async def test_offline_no_model_elsewhere_is_asked_and_the_answer_says_why(tmp_path: Path, name: str):
    place = folder(tmp_path, "offline = true\n")
    models = make_models(make_builder(make_catalogue(place)), place, NoKeys())
    try:
        with pytest.raises(ModelFailed, match="Offline is switched on: nothing was sent") as failed:
            async for _ in models.open(name).stream(question()):
                pass
        assert failed.value.failure.kind == "network"
    finally:
        await models.close()
    assert place.net.made == ()


@in_loop
async def test_offline_no_page_is_looked_up_or_fetched(tmp_path: Path):
    place = folder(tmp_path, "offline = true\n")
    with pytest.raises(CannotAttach, match="Offline is switched on"):
        await WebPages(net=place.net).fetch("https://pages.example/x")


@in_loop
async def test_offline_no_server_of_tools_elsewhere_is_asked(tmp_path: Path):
    from workbench.domain.mcp_server import McpServer

    place = folder(tmp_path, "offline = true\n")
    servers = McpServers({}, net=place.net)
    servers.configure([McpServer("web", url="https://tools.example/mcp")], {})
    try:
        assert (await servers.start("web")).problem.startswith("Offline is switched on")
    finally:
        await servers.close()


def test_offline_the_built_in_model_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from workbench.providers.builtin.files import ModelFiles

    monkeypatch.setattr(ModelFiles, "find_intact", lambda _: None)
    with pytest.raises(NotSent, match="Offline"):
        asyncio.run(install_model(folder(tmp_path, "offline = true\n"), print))


@in_loop
async def test_models_are_asked_through_the_proxy_of_the_settings(tmp_path: Path):
    async with ConnectProxy(status="403 No") as proxy:
        place = folder(tmp_path, f'proxy = "{proxy.url}"\n')
        models = make_models(make_builder(make_catalogue(place)), place, NoKeys())
        for name in ("server:https://models.example#m", "ollama:m@https://models.example"):
            with pytest.raises(ModelFailed, match="The proxy did not pass the request on to models"):
                async for _ in models.open(name).stream(question()):
                    pass
        await models.close()
        assert set(proxy.wanted) == {"models.example:443"}
        assert {one.via for one in place.net.made} == {f"127.0.0.1:{proxy.port}"}


@in_loop
async def test_a_proxy_that_is_away_is_not_taken_for_the_server(tmp_path: Path):
    async with ConnectProxy() as gone:
        place = folder(tmp_path, f'proxy = "{gone.url}"\n')
    models = make_models(make_builder(make_catalogue(place)), place, NoKeys())
    for name in ("server:https://models.example#m", "ollama:m@https://models.example"):
        with pytest.raises(
            ModelFailed, match=r"proxy in the settings does not answer, so models\.example was not"
        ):
            async for _ in models.open(name).stream(question()):
                pass
    await models.close()
