"""What of an e-mail is its text: one of several alternatives, and everything else in order."""

from __future__ import annotations

from email.message import EmailMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from workbench.sources.extract.mail import read_mail

WORDS = "The meeting is moved to Friday at noon, in the large room; please bring the plan."
PAGE = f"<html><body><p>{WORDS}</p></body></html>"
FOOTER = "You get this because you are on the list."


def read(made: EmailMessage | MIMEMultipart) -> tuple[str, tuple[str, ...]]:
    """The body with what is said about it."""
    made["From"], made["Subject"] = "a@example.org", "S"
    document = read_mail(made.as_bytes())
    return document.text.partition("Subject: S\n")[2].strip(), document.read_as.notes


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
