"""`workbench doctor --connections`: how a run connects, and what this one connected to."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_doctor import doctor
from workbench.cli.doctor import UNSEEN, connection_lines
from workbench.domain.connection import ConnectionMade, NetworkSeen

Capture = pytest.CaptureFixture[str]
MADE = ConnectionMade("127.0.0.1:11434", "model", "2026-01-02T03:04:05Z", "", 1200, 34)


def test_usually_everything_is_asked_directly():
    assert connection_lines(NetworkSeen()) == ("Directly, without a proxy.",)


def test_each_setting_has_its_sentence():
    said = connection_lines(NetworkSeen(True, "p:1", True, ("a.example", "b"), "/ca.pem", ("http://nas:80",)))
    assert said == (
        "Offline is switched on: nothing leaves this computer. What runs on it still answers, but for programs of tool "
        "servers: what they do cannot be seen, so none is started.",
        "Through the proxy p:1 (from HTTPS_PROXY), but not for a.example, b; this computer is asked directly.",
        "The certificates in /ca.pem are believed beside the usual ones.",
        "http://nas:80 is asked without encryption.",
    )
    assert "from the settings" in connection_lines(NetworkSeen(proxy="p:1"))[0]
    assert "HTTPS_PROXY names none" in connection_lines(NetworkSeen(system=True))[0]


def test_the_connections_that_doctor_made_are_listed(capsys: Capture):
    assert doctor("--connections", network=lambda: NetworkSeen(made=(MADE,))) == 0
    shown = capsys.readouterr().out
    assert "ok    display" in shown
    assert "Directly, without a proxy." in shown
    assert ["2026-01-02T03:04:05Z", "127.0.0.1:11434", "model", "1,200", "34", "-"] in [
        line.split() for line in shown.splitlines()
    ]
    assert UNSEEN in shown


def test_none_is_said_to_be_none(capsys: Capture):
    doctor("--connections", network=NetworkSeen)
    assert "This run made no connection." in capsys.readouterr().out


def test_for_machines_findings_and_connections_come_together(capsys: Capture):
    doctor("--connections", "--json", network=lambda: NetworkSeen(made=(MADE,)))
    found = json.loads(capsys.readouterr().out)
    assert found["findings"][0]["check"] == "display"
    assert found["network"]["made"][0]["host"] == "127.0.0.1:11434"


def test_without_the_option_nothing_changes(capsys: Capture):
    doctor("--json")
    assert isinstance(json.loads(capsys.readouterr().out), list)


def test_what_was_set_is_among_the_findings(capsys: Capture):
    assert doctor(network=lambda: NetworkSeen(proxy="p:1")) == 0
    assert "ok    connections: Through the proxy p:1 (from the settings)" in capsys.readouterr().out
