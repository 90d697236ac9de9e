"""What is to be summarised, as the model reads it."""

from __future__ import annotations

from workbench.context.shorten.outline import SummaryMessage
from workbench.engine.summaries import written


def test_messages_are_written_as_they_are_each_with_its_speaker():
    """A colon at the end of a message, and the indent that a file begins with, were taken off."""
    said = (
        SummaryMessage("User", "Do this:"),
        SummaryMessage("Assistant", ": odd "),
        SummaryMessage("Tool", note="(a result)"),
    )
    assert written(said) == "User: Do this:\n\nAssistant: : odd \n\n(a result)"
    assert written((SummaryMessage("", "    indented: yes\nends:"),)) == "    indented: yes\nends:"
