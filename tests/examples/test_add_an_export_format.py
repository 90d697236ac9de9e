"""An export format of one's own: chats in, names and bytes out, and in words what is left out.

A line in `engine/exchange/formats.FORMATS` offers it in the window and on the command line.
"""

import csv
import io

from tests.fakes.archives import plain_archive
from tests.fakes.turns import assistant, user
from workbench.domain.message import Message
from workbench.engine.exchange.branch import active_branch
from workbench.engine.exchange.formats import Archives, ExportFormat, Files, left_out
from workbench.engine.program.jobs import exported


def export_csv(archives: Archives) -> Files:
    text = io.StringIO()
    table = csv.writer(text)
    for archive in archives:
        entries = [record.entry for record in active_branch(archive)]
        table.writerows([e.role, e.text] for e in entries if isinstance(e, Message))
    return (("chats.csv", text.getvalue().encode()),)


CSV = ExportFormat("csv", "times, other branches, attachments", export_csv)


def test_it_is_written_and_says_what_is_missing():
    chat = plain_archive(user("q", "Why, then?"), assistant("a", "Because."))
    assert exported(CSV, [chat], None) == (("chats.csv", b'user,"Why, then?"\r\nassistant,Because.\r\n'),)
    assert left_out(CSV, [chat]).startswith("Left out: times, other branches, attachments. Here: ")
