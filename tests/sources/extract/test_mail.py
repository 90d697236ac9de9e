"""What of an e-mail is its text: one of several alternatives, and everything else in order."""

from __future__ import annotations

from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from tests.fakes.corpus import picture
from tests.fakes.corpus_documents import form_pdf
from workbench.domain.files.document import AS_FOUND, Document
from workbench.domain.files.document_parts import find_section
from workbench.sources.extract.child import read_document
from workbench.sources.extract.mail import read_mail

WORDS = "The meeting is moved to Friday at noon, in the large room; please bring the plan."
PAGE = f"<html><body><p>{WORDS}</p></body></html>"
FOOTER = "You get this because you are on the list."


def read(made: EmailMessage | MIMEMultipart) -> tuple[str, tuple[str, ...]]:
    """The body with what is said about it."""
    made["From"], made["Subject"] = "a@example.org", "S"
    document = read_mail(made.as_bytes())
    return document.text.partition("Subject: S\n")[2].strip(), document.read_as.left_out


def alternative(plain: str, page: str = PAGE) -> EmailMessage:
    """A mail that says the same in two ways."""
    made = EmailMessage()
    made.set_content(plain)
    made.add_alternative(page, subtype="html")
    return made


def boxed(kind: str, *parts: MIMEText | MIMEMultipart | EmailMessage) -> MIMEMultipart:
    """Parts in a box of a kind."""
    made = MIMEMultipart(kind)
    for part in parts:
        made.attach(part)
    return made


def test_a_plain_footer_below_a_page_keeps_both():
    """The footer of a mailing list was all that was left of the mail, and nothing said so."""
    assert read(boxed("mixed", MIMEText(PAGE, "html"), MIMEText(FOOTER))) == (f"{WORDS}\n\n{FOOTER}", ())


def test_parts_that_are_no_alternatives_are_kept_in_their_order():
    inner = boxed("related", MIMEText("<p>Second words.</p>", "html"))
    made = boxed("mixed", MIMEText("First words."), inner, MIMEText("Third words."))
    assert read(made) == ("First words.\n\nSecond words.\n\nThird words.", ())


def test_of_alternatives_the_plain_one_is_taken_and_the_other_is_told_of():
    assert read(alternative(WORDS)) == (WORDS, ("1 HTML alternative left out",))


@pytest.mark.parametrize("plain", ["", "This mail is HTML.", "View it in your browser: https://a.example/1"])
def test_a_plain_alternative_without_the_words_gives_way_to_the_page(plain: str):
    told = ("1 plain alternative left out",) if plain else ()
    assert read(alternative(plain)) == (WORDS, told)


def test_a_stub_is_known_beside_a_short_page_too_and_words_about_html_are_none():
    assert read(alternative("This mail is in HTML.", "<p>See you at five.</p>"))[0] == "See you at five."
    asked = "Who mends the HTML?"
    assert read(alternative(asked, f"<p>{asked}</p>")) == (asked, ("1 HTML alternative left out",))


def test_alternatives_within_a_box_leave_the_rest_of_it_alone():
    made = boxed("mixed", alternative(WORDS), MIMEText(PAGE, "html"), alternative(WORDS), MIMEText(FOOTER))
    text, notes = read(made)
    assert text == f"{WORDS}\n\n{WORDS}\n\n{WORDS}\n\n{FOOTER}"
    assert notes == ("2 HTML alternatives left out",)


def test_pictures_and_files_are_named_wherever_they_are():
    made = alternative(WORDS)
    page = made.get_payload(1)
    assert isinstance(page, EmailMessage)
    page.add_related(b"x" * 9, maintype="image", subtype="png", filename="logo.png")
    made.add_attachment("a,b", filename="t.csv")
    text, notes = read(made)
    assert text.startswith(WORDS)
    assert [line for line in text.splitlines() if line.startswith("Attachment: ")] == [
        "Attachment: logo.png (image/png, 9 bytes)",
        "Attachment: t.csv (text/plain, 4 bytes)",
    ]
    assert notes == ("2 attachments named, not opened", "1 HTML alternative left out")


def test_a_page_without_words_is_told_of():
    made = boxed("mixed", MIMEText(WORDS), MIMEText("<script>x</script>", "html"))
    assert read(made) == (WORDS, ("1 HTML part without readable text",))


def test_more_parts_than_are_read_are_told_of():
    made = boxed("mixed", *(MIMEText(f"words {number}") for number in range(600)))
    text, notes = read(made)
    assert text.endswith("words 498")
    assert notes == ("only the first 500 parts read",)


def whole(made: EmailMessage | MIMEMultipart) -> Document:
    """The mail as it is attached, with what is attached to it."""
    made["From"], made["Subject"], made["Date"] = "a@example.org", "S", "Mon, 04 May 2026 10:00:00 +0000"
    return read_document("a.eml", made.as_bytes(), AS_FOUND)


def test_attached_files_are_read_by_their_own_readers_and_are_parts():
    """They were named and not opened, and a form that came by mail said nothing."""
    made = alternative(WORDS)
    made.add_attachment(form_pdf(), maintype="application", subtype="pdf", filename="form.pdf")
    made.add_attachment("name,age\nAda,36\n", filename="t.csv")
    made.add_attachment(b"PK\x05\x06" + b"\0" * 18, maintype="application", subtype="zip", filename="a.zip")
    document = whole(made)
    part = find_section(document, "form.pdf")
    assert part is not None
    assert "Your name: Ada Lovelace" in document.text[part.start : part.end]
    assert "Ada,36" not in document.text[part.start : part.end]
    assert "Ada,36" in document.text
    assert "(Not read: it is an empty zip archive.)" in document.text
    assert document.read_as.left_out == (
        "2 attached files in the text",
        "1 attached file that cannot be read left out",
        "1 HTML alternative left out",
        "form.pdf: 1 empty form field left out",
        "form.pdf: 1 drawn mark left out",
        "t.csv: 1 row below the first, 2 columns, separated by commas",
    )


def test_a_message_in_a_message_is_read_with_its_own_attachments():
    inner = EmailMessage()
    inner["From"], inner["Subject"] = "b@example.org", "Earlier"
    inner.set_content("Inner words.")
    inner.add_attachment("more words", filename="inner.txt")
    made = EmailMessage()
    made.set_content(WORDS)
    made.add_attachment(inner)
    document = whole(made)
    assert [one.title for one in document.sections] == ["Earlier", "inner.txt"]
    for words in (WORDS, "Attached message: Earlier", "From: b@example.org", "Inner words.", "more words"):
        assert words in document.text
    assert document.read_as.left_out == ("1 attached file in the text", "1 attached message in the text")


def test_messages_in_messages_end_somewhere():
    made = EmailMessage()
    made["From"], made["Subject"], made["Date"] = "a@example.org", "0", "x"
    made.set_content("innermost")
    for number in range(1, 9):
        outer = EmailMessage()
        outer["From"], outer["Subject"], outer["Date"] = "a@example.org", str(number), "x"
        outer.set_content(f"words {number}")
        outer.add_attachment(made)
        made = outer
    document = read_document("a.eml", made.as_bytes(), AS_FOUND)
    assert "words 4" in document.text
    assert "words 3" not in document.text
    assert "1 attachment named, not opened" in document.read_as.left_out


def test_an_alternative_that_says_something_else_is_kept_too():
    """Only the plain one was kept, and the page with the offer was left out."""
    other = " ".join(f"offer{number}" for number in range(40))
    text, notes = read(alternative(WORDS * 8, f"<p>{WORDS}</p><p>{other}</p>"))
    assert other in text
    assert notes == ()


def test_a_picture_and_a_signature_are_counted_by_their_kinds():
    made = EmailMessage()
    made.set_content(WORDS)
    png = picture("PNG")
    made.add_attachment(png, maintype="image", subtype="png", filename="a.png")
    made.add_attachment(b"xyz", maintype="application", subtype="pgp-signature", filename="s.asc")
    assert whole(made).read_as.notes == ("1 attached picture left out", "1 signature left out")
