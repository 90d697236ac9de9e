"""The scripted request's bytes."""

from __future__ import annotations

from workbench.ui.scenes.sample_payload import wire_form


def test_every_message_of_the_body_is_its_pieces_and_no_secret_is_shown():
    form = wire_form()
    for message, sent in zip(form.messages, form.body["messages"], strict=True):
        assert "".join(piece.text for piece in message.pieces) == sent["content"]
    assert dict(form.headers)["Authorization"] == "Bearer •••"
