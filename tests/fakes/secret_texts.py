"""Keys that open nothing, made so that each looks like a real one of its kind; none is written down anywhere."""

from __future__ import annotations

import hashlib
import string

LETTERS = string.ascii_letters + string.digits


def token(length: int, alphabet: str = LETTERS, seed: int = 7) -> str:
    """So many characters, the same ones at every call."""
    drawn = hashlib.shake_128(f"{seed} {length} {alphabet}".encode()).digest(2 * length)
    pairs = zip(drawn[::2], drawn[1::2], strict=True)
    return "".join(alphabet[(256 * one + other) % len(alphabet)] for one, other in pairs)


GITHUB = f"ghp_{token(36)}"


def known_keys() -> dict[str, tuple[str, str]]:
    """A text for every kind, by a name: the kind that is found in it, and the text."""
    dashed = f"{LETTERS}_-"
    pem = "\n".join(token(64, f"{LETTERS}+/", seed) for seed in range(12))
    return {
        "openai": ("openai", f"sk-{token(48)}"),
        "openai project": ("openai", f"sk-proj-{token(90, dashed)}a"),
        "anthropic": ("anthropic", f"sk-ant-api03-{token(93, dashed)}AA"),
        "github": ("github", GITHUB),
        "github app": ("github", f"ghs_{token(36)}"),
        "github oauth": ("github", f"gho_{token(36)}"),
        "github fine": ("github", f"github_pat_{token(22)}_{token(59)}"),
        "gitlab": ("gitlab", f"glpat-{token(20)}"),
        "aws": ("aws", f"AKIA{token(16, string.ascii_uppercase + '234567')}"),
        "aws secret": ("aws_secret", f"aws_secret_access_key = {token(40, LETTERS + '/+')}"),
        "aws json": ("aws_secret", f'"SecretAccessKey": "{token(40, LETTERS + "/+")}"'),
        "google": ("google", f"AIza{token(35)}"),
        "slack": ("slack", f"xoxb-{token(12, '2468013579')}-{token(24)}"),
        "stripe": ("stripe", f"sk_live_{token(24)}"),
        "stripe restricted": ("stripe", f"rk_live_{token(24)}"),
        "pem": ("private_key", f"-----BEGIN RSA PRIVATE KEY-----\n{pem}\n-----END RSA PRIVATE KEY-----"),
        "pem in json": ("private_key", f'"-----BEGIN PRIVATE KEY-----\\n{token(200)}\\n-----END PRIVATE KEY-----"'),
        "jwt": ("jwt", f"eyJ{token(30)}.eyJ{token(60)}.{token(43)}"),
        "npm": ("npm", f"npm_{token(36)}"),
        "pypi": ("pypi", f"pypi-AgEIcHlwaS5vcmc{token(120)}"),
        "hugging face": ("hugging_face", f"hf_{token(34)}"),
        "azure signature": ("azure", f"https://a.example.net/b?sv=2024&sig={token(43)}%3D"),
        "azure account": ("azure", f"AccountName=a;AccountKey={token(86)}==;"),
        "twilio account": ("twilio", f"AC{token(32, '0123456789abcdef')}"),
        "twilio key": ("twilio", f"SK{token(32, '0123456789abcdef')}"),
        "address": ("url_password", "postgres://app:Zx9pQ2rT@db:5432/main"),
        "bearer": ("bearer", f"Authorization: Bearer {token(40)}"),
        "password": ("password", "password = 'Tr0ub4dor&3x'"),
        "prose": ("password", "The password: sommer2024, as ever."),
        "short": ("password", "passwd = S3cure!"),
        "pwd": ("password", "user: anna, pwd: kx71ab"),
        "quoted short": ("password", 'pwd: "b4um77"'),
        "environment": ("password", "DB_PASSWORD=Sommer2024"),
        "export": ("api_key", "export API_KEY=9f8sd7f6g5h4j3k2"),
        "yaml": ("api_key", "api_key: 7fA3kd92LmZx81Qw"),
        "json": ("password", '{"password": "k3yb0ardC4t"}'),
        "json in json": ("password", '{\\"password\\": \\"k3yb0ardC4t\\"}'),
        "hex key": ("api_key", f'api_key = "{token(32, "0123456789abcdef")}"'),
        "after an escape": ("github", f'"first line\\n{GITHUB}"'),
    }  # fmt: skip
