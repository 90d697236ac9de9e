"""Counting is exact, offline, and survives every text; a damaged rank file is refused and left alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.effort import tries
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.providers import tokenizer
from workbench.providers.tokenizer import RANK_FILES, TiktokenTokenizer

ROOT = Path(__file__).resolve().parents[2]
ENCODINGS = ROOT / "resources" / "encodings"
CL100K = TiktokenTokenizer("cl100k_base", ENCODINGS)
O200K = TiktokenTokenizer("o200k_base", ENCODINGS)
both = pytest.mark.parametrize("tokenizer", [CL100K, O200K], ids=lambda tokenizer: tokenizer.name)


@pytest.fixture(scope="module", params=["cl100k_base", "o200k_base"])
def pair(request: pytest.FixtureRequest) -> tuple[TiktokenTokenizer, tiktoken.Encoding]:
    """Our tokenizer, and the encoding as tiktoken itself builds it from the same verified file."""
    name: str = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(ENCODINGS))
        return TiktokenTokenizer(name, ENCODINGS), tiktoken.get_encoding(name)


@pytest.mark.parametrize("name", RANK_FILES)
def test_patterns_and_digests_are_tiktokens_own(name: str, monkeypatch: pytest.MonkeyPatch):
    """If a new tiktoken changed an encoding, our copy of its pattern would count wrongly without a word."""
    from tiktoken_ext import openai_public  # type: ignore[import-untyped]

    asked: dict[str, str] = {}

    def remember(_address: str, expected_hash: str) -> dict[bytes, int]:
        asked["hash"] = expected_hash
        return {}

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", remember)
    theirs: dict[str, Any] = openai_public.ENCODING_CONSTRUCTORS[name]()
    assert (RANK_FILES[name].pattern, RANK_FILES[name].sha256) == (theirs["pat_str"], asked["hash"])


@settings(max_examples=tries(200))
@given(text=st.text(st.characters(codec=None), max_size=200))
def test_the_count_is_tiktokens(pair: tuple[TiktokenTokenizer, tiktoken.Encoding], text: str):
    ours, theirs = pair
    sent = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    assert ours.count(text) == len(theirs.encode_ordinary(sent))


@settings(max_examples=tries(200))
@given(
    text=st.text(
        st.sampled_from("abcdefgh THE'sll 019.,;!?(){}/\n\t\r\xa0\u3000\x85éßчЖ中の👍👩🏽\ud800"), max_size=80
    )
)
def test_a_few_texts_are_counted_by_the_ranks_that_occur_in_them(
    pair: tuple[TiktokenTokenizer, tiktoken.Encoding], text: str
):
    """Without most of the two hundred thousand ranks, yet with every one that a merge could look up."""
    whole, _ = pair
    few = TiktokenTokenizer(whole.name, ENCODINGS, few_texts=True)
    assert few.count(text) == whole.count(text)
    assert "_encoding" not in vars(few)


@pytest.mark.parametrize("name", RANK_FILES)
def test_what_people_write_is_counted_by_few_ranks_too(name: str):
    whole, lines = (
        TiktokenTokenizer(name, ENCODINGS),
        (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("\n"),
    )
    few = TiktokenTokenizer(name, ENCODINGS, few_texts=True)
    counted = [few.count("\n".join(lines[start : start + 3])) for start in range(0, 30, 3)]
    assert counted == [whole.count("\n".join(lines[start : start + 3])) for start in range(0, 30, 3)]
    assert "_encoding" not in vars(few)
    assert few.count("\n".join(lines)) == whole.count("\n".join(lines))
    assert "_encoding" in vars(few)


@pytest.mark.parametrize(
    ("text", "cl100k", "o200k"),
    [("", 0, 0), ("Hello world", 2, 2), ("<|endoftext|>", 7, 7), ("\ud800", 1, 1), ("a\ud800\udc00b", 3, 3)],
)
def test_known_counts(text: str, cl100k: int, o200k: int):
    assert (CL100K.count(text), O200K.count(text)) == (cl100k, o200k)


@both
@pytest.mark.parametrize("text", ["<|endoftext|>", "<|im_start|>system", "<|fim_prefix|>"])
def test_control_tokens_are_plain_text(tokenizer: TiktokenTokenizer, text: str):
    assert tokenizer.count(text) > 3


@both
@pytest.mark.parametrize(
    ("text", "least"),
    [
        (" " * 1_000_000 + "x", 7_813),
        ("x" + "\t" * 1_000_000 + "y", 62_500),
        ("\n" * 1_000_000, 31_250),
        ("a" * 1_000_000, 125_000),
        ("\u3000" * 1_000_000 + "x", 62_500),
    ],
    ids=["spaces", "tabs", "newlines", "one long word", "ideographic spaces"],
)
def test_a_million_equal_characters_are_counted(tokenizer: TiktokenTokenizer, text: str, least: int):
    """tiktoken panics on some of these with a BaseException, which would end the whole program."""
    assert least <= tokenizer.count(text) <= least * 9


@pytest.mark.parametrize("blank", [" ", "\t", "\xa0", "\u3000"])
@pytest.mark.parametrize("shape", ["{}", "{}x", "x{}\n", "x\n{}y", "{}\r\nx{}y"])
def test_cutting_a_run_of_blanks_keeps_its_count(
    pair: tuple[TiktokenTokenizer, tiktoken.Encoding], blank: str, shape: str, monkeypatch: pytest.MonkeyPatch
):
    """Where tiktoken can still answer, the cut run has to have the same count: seen here with a lower limit."""
    ours, theirs = pair
    for length in (1023, 1024, 1025, 1151, 3001):
        text = shape.replace("{}", blank * length)
        expected = len(theirs.encode_ordinary(text))
        monkeypatch.setattr(tokenizer, "_PANICKING_RUN", 1024)
        monkeypatch.setattr(tokenizer, "_LONGEST_RUN", 896)
        assert ours.count(text) == expected


@both
def test_common_prefix_is_counted_in_tokens(tokenizer: TiktokenTokenizer):
    assert tokenizer.common_prefix("one two three", "one two four") == 2
    assert tokenizer.common_prefix("one two", "one two three") == 2
    assert tokenizer.common_prefix("one", "one") == 1
    assert tokenizer.common_prefix("one", "") == 0
    assert tokenizer.common_prefix("one", "two") == 0


def test_common_prefix_is_about_tokens_not_characters():
    """Half a word is another token, although the whole word starts with its characters."""
    assert O200K.common_prefix("toke", "token") == 0


@both
def test_a_name_is_the_encodings(tokenizer: TiktokenTokenizer):
    assert tokenizer.name in RANK_FILES


def test_an_unknown_encoding_is_refused():
    with pytest.raises(InvalidInput, match="expected one of cl100k_base, o200k_base, got 'p50k_base'"):
        TiktokenTokenizer("p50k_base", ENCODINGS)


def test_a_damaged_file_is_refused_and_kept(tmp_path: Path):
    """tiktoken itself would delete it and ask the network for another one."""
    known = RANK_FILES["cl100k_base"]
    damaged = tmp_path / known.file_name
    shutil.copy(ENCODINGS / known.file_name, damaged)
    content = damaged.read_bytes().replace(b"IQ== 0\n", b"IQ== 1\n", 1)
    damaged.write_bytes(content)
    with pytest.raises(WorkbenchError) as caught:
        TiktokenTokenizer("cl100k_base", tmp_path).count("text")
    message = str(caught.value)
    assert str(damaged) in message
    assert known.sha256 in message
    assert "nothing is fetched" in message
    assert damaged.read_bytes() == content


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(WorkbenchError, match=RANK_FILES["o200k_base"].file_name):
        TiktokenTokenizer("o200k_base", tmp_path / "nowhere").count("text")


def test_nothing_is_loaded_before_the_first_count(tmp_path: Path):
    """Importing tiktoken and loading ranks takes half a second, which belongs after the first paint."""
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from workbench.providers.tokenizer import TiktokenTokenizer\n"
        "TiktokenTokenizer('o200k_base', Path(sys.argv[1]))\n"
        "assert 'tiktoken' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, cwd=ROOT)


def test_ranks_are_loaded_once_for_all_who_count_with_them(tmp_path: Path):
    """Every window, scripted conversation and server has its own tokenizer; each took time and memory again."""
    shutil.copytree(ENCODINGS, tmp_path / "encodings")
    first, second = (TiktokenTokenizer("o200k_base", tmp_path / "encodings") for _ in range(2))
    counted = first.count("two words")
    shutil.rmtree(tmp_path / "encodings")
    assert second.count("two words") == counted == 2


@both
def test_tokens_have_their_numbers_and_join_to_the_text(tokenizer: TiktokenTokenizer):
    text = "naïve 漢字 😀 = 1,024\n"
    tokens = tokenizer.tokens(text)
    assert len(tokens) == tokenizer.count(text)
    assert b"".join(piece for _, piece in tokens) == text.encode()


@both
def test_the_ranks_are_not_kept_twice(tokenizer: TiktokenTokenizer):
    """tiktoken counts with tables of its own, and kept what they were made of beside them: 26 MB."""
    assert tokenizer.count("some words") == 2
    assert tokenizer._encoding._mergeable_ranks == {}
