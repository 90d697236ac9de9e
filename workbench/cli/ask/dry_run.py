"""`workbench ask --dry-run`: the request as it would go out, shown instead of sent."""

from __future__ import annotations

import json

from workbench.cli.envelope_table import parameter_lines, print_envelope
from workbench.cli.terminal import counted, print_bytes, print_json, print_text, tell, visible_line
from workbench.domain.errors import NotKept
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.text import repair_text
from workbench.domain.wire_form import WireForm
from workbench.engine.assembly.prepare import Prepared


def show_request(prepared: Prepared, view: EnvelopeView | None, *, as_json: bool, payload: bool) -> None:
    """What would be sent: its bytes, its report, or its layers in a table.

    With its bytes, where they go and with which headers is said beside them; a key is not.
    """
    if payload:
        form = _written(view)
        for line in (
            (f"POST {form.url}", *(f"{name}: {value}" for name, value in form.headers)) if form.url else ()
        ):
            tell(visible_line(line))
        print_bytes(_bytes(form) + b"\n")
    elif as_json:
        print_json(prepared.report)
    else:
        _show_table(prepared)


def _written(view: EnvelopeView | None) -> WireForm:
    """The request as it would go out; `NotKept` where it cannot be written."""
    form = None if view is None else view.wire()
    if form is None:
        raise NotKept("This request cannot be written for its provider. Nothing was sent.")
    return form


def _bytes(form: WireForm) -> bytes:
    """The body, byte for byte."""
    written = json.dumps(form.body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return repair_text(written).encode()


def _show_table(prepared: Prepared) -> None:
    built, prefix = prepared.built, prepared.report["prefix"]
    print_text(f"turn {built.inputs.turn}  not sent  {visible_line(built.envelope.model)}")
    print_envelope(built.envelope)
    for line in parameter_lines(built):
        print_text(line)
    print_text(
        f"prefix: {prefix['change']}, {counted(prefix['reused_tokens'], 'token')} in common with the request before"
    )
    if prepared.forecast is not None:
        print_text(
            f"cache: {counted(prepared.forecast.predicted_read_tokens, 'token')} expected to be read from it"
        )
