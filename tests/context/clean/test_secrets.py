"""Keys and passwords in texts: each common kind is found, on its line; what only looks like one is left alone."""

from __future__ import annotations

import time

import pytest

from tests.fakes.secret_texts import GITHUB, known_keys, token
from workbench.context.clean.secrets import find_secrets

KNOWN = known_keys()
INNOCENT = (
    "sk-...", "sk-your-key-here", "sk-" + "x" * 40, "OPENAI_API_KEY=sk-your-key-here", "API_KEY=${API_KEY}",
    "password = os.environ['PW_123456']", "password=getpass.getpass()", "token = tokenizer.encode(text)",
    "ghp_" + "x" * 36, "AKIAIOSFODNN7EXAMPLE", "password: Optional[str] = None",
    "d41d8cd98f00b204e9800998ecf8427e", "token: 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    "secret = 'd41d8cd98f00b204e9800998ecf8427e'", "max_tokens = 4096", "https://user:password@host/",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "postgres://postgres:postgres@localhost", "password: your-password-here", "self.password = self.config.password",
    'password = Field(default="")', "<div class='sk-fading-circle-animation-with-a-long-name'>",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "token = generate_token_v2",
    "Password: type it into the box", "secret_name: my-app-secret-2024", "api_key: str",
    "private_key: /etc/ssl/private/key1.pem", "token=$TOKEN1234", 'password: "{{ vault_db_password }}"',
    "passwordHash: 5f4dcc3b5aa765d61d8327deb882cf99", "git@github.com:org/repo.git", "http://localhost:8080/a@b",
    "token_budget: 1200000000", "api_key=API_KEY_HERE_123", "sk-1234567890abcdef1234567890abcdef",
    "next_token: int = 12345678", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg", "api_key=self._key2",
    "password: <password>", "password: ****", "password: ******", "password: changeme", "passwd = ${DB_PASSWD2}",
    "pwd: xxx", "pwd: xxxxxx", "password: required", "password: argon2id", "password: SHA-256", "pwd = /home/a/src22",
    "password = userInput2", "password = user_input_22", "password = hash64sum(text)",
    "passwd: files systemd", "password: varchar(255)", "password: and/or 2", "pwd = $OLDPWD22", "Password: 2026-01-01",
    "password: 123456", "password = rows[12]", "AC" + "0" * 32, "SK" + "a1" * 12, "BAC" + token(32, "0123456789abcdef"),
    "secret: Secret.of_text", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "a password of 12 letters", "",
)  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_every_common_kind_is_found_on_its_line(name: str):
    kind, text = KNOWN[name]
    (found,) = find_secrets(f"one\ntwo\n{text}\nfour")
    assert (found.kind, found.line) == (kind, 3)


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_no_secret_is_left_alone(text: str):
    assert find_secrets(text) == ()
    assert find_secrets(f"before\n{text}\nafter") == ()


def test_its_place_is_the_secret_and_nothing_around_it():
    text = f"key: {GITHUB}, ok"
    (found,) = find_secrets(text)
    assert text[found.start : found.end] == GITHUB
    (password,) = find_secrets("password = 'Tr0ub4dor&3x'")
    assert "password = 'Tr0ub4dor&3x'"[password.start : password.end] == "Tr0ub4dor&3x"


def test_what_may_be_shown_of_it_is_how_all_of_its_kind_begin():
    for kind, text in KNOWN.values():
        (found,) = find_secrets(text)
        shown = found.hint.removesuffix("…")
        assert len(shown) <= 12, kind
        secret = text[found.start : found.end]
        assert secret.startswith(shown)


def test_a_known_key_under_a_name_is_found_once_and_as_what_it_is():
    (found,) = find_secrets(f'api_key = "{GITHUB}"')
    assert found.kind == "github"


def test_a_private_key_is_one_finding_whatever_is_in_it():
    _, text = KNOWN["pem"]
    (found,) = find_secrets(f"{text}\n")
    assert text[found.start : found.end] == text
    (cut,) = find_secrets(text.partition("-----END")[0])
    assert (cut.kind, cut.start) == ("private_key", 0)


def test_several_are_found_in_order_with_their_lines():
    text = f"a\n{GITHUB}\n\nb AIza{token(35)} and hf_{token(34)}\n"
    assert [(one.kind, one.line) for one in find_secrets(text)] == [
        ("github", 2),
        ("google", 4),
        ("hugging_face", 4),
    ]


def test_places_hold_in_any_script():
    """Small letters of İ are two characters: places counted in the changed text would be off by one."""
    text = f"İİ 漢字 👩 password = 'Tr0ub4dor&3x' {GITHUB}"
    assert [text[one.start : one.end] for one in find_secrets(text)] == ["Tr0ub4dor&3x", GITHUB]


HARD = (
    "sk-", "eyJ", "eyJeyJabcdefgh.", "eyJabcdefgh.eyJ", "ghp_", "://", "://a:", "password=", "password", "password: ",
    "token", "secret", "secret_access_key", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "sig=", "&sig=", "bearer ",
    "AKIA", "xoxb-", "\\neyJ", "hf_", 'password="a1b2c3d4e5 ', "%3Dsk-", "x", "a1B2",
)  # fmt: skip


@pytest.mark.parametrize("piece", HARD)
def test_a_line_of_a_megabyte_takes_time_that_grows_with_its_length(piece: str):
    """A pattern that starts over at every place, or goes back, would take minutes: four times the text, not sixteen."""
    short, long = (_least_seconds((piece * 1_000_000)[:size]) for size in (250_000, 1_000_000))
    assert long < max(0.5, 10 * short)


def test_a_text_of_16_mb_is_looked_through_in_seconds():
    line = "2026-01-01 12:00:00 INFO request 17 key=abc17 token=none user:pass path=/a/b/c\n"
    text = (line * 220_000)[:16_000_000]
    began = time.thread_time()
    assert find_secrets(f"{text}\n{GITHUB}")[0].kind == "github"
    assert time.thread_time() - began < 10


def _least_seconds(text: str) -> float:
    least = float("inf")
    for _ in range(2):
        began = time.thread_time()
        find_secrets(text)
        least = min(least, time.thread_time() - began)
    return least
