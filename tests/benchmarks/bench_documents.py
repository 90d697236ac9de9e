"""Which share of the words that other programs find in documents the readers find, kind by kind.

The documents lie in a folder `workbench-documents` in the system's temporary folder, whoever put them there; pdftotext,
LibreOffice (`soffice`) and pandoc read them too. Their texts are kept beside it, since they take long. A document in
which they find next to nothing is passed over. What is under nine tenths is a line of its own, with what the reader
said about it.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.benchmarks.running.figures import Figure, Goal, Means, at_most, not_measured
from workbench.domain.files.attached import CannotAttach
from workbench.domain.files.document import Reading
from workbench.sources.extract.process import ChildExtractor

OPT_IN = "it compares words, not speed, and needs documents and other programs"
CORPUS = Path(tempfile.gettempdir(), "workbench-documents")
KEPT = Path(tempfile.gettempdir(), "workbench-documents-read")
PER_KIND = 60
LEAST_WORDS, LEAST_DRAWN = 20, 6
MOST_BYTES = 8_000_000
LOW = 0.90
TOOLS = ("pdftotext", "soffice", "pandoc")
KINDS: dict[str, tuple[str, ...]] = {
    "pdf": ("pdftotext",),
    "docx": ("soffice", "pandoc"),
    "odt": ("soffice", "pandoc"),
    "rtf": ("soffice", "pandoc"),
    "epub": ("pandoc",),
    "pptx": ("soffice-pdf",),
    "odp": ("soffice-pdf",),
    "xlsx": ("soffice-csv",),
    "ods": ("soffice-csv",),
}
# What other programs write that is not in the document, or not so.
THEIRS = {
    "cjklist": "LibreOffice counts the items of lists in letters",
    "numlist": "LibreOffice counts the items of lists in letters",
    "text_ordinal_list": "LibreOffice counts the items of lists in words",
    "tdf104823.docx": "LibreOffice fills in fields from the properties of the document",
    "tdf123757.docx": "pandoc writes descriptions of tables, which are not shown",
    "tdf133437.rtf": "pandoc takes Cyrillic letters for Latin ones",
    "fdo53556.rtf": "pandoc writes the names of properties of shapes",
    "features.epub": "pandoc writes formulas as TeX",
    "bnc889755.pptx": "LibreOffice writes months in words",
    "tdf151755": "LibreOffice writes AM and PM beside times",
    "ltxtable.pdf": "columns of one letter, broken in other places",
    "tdf121623.rtf": "pandoc writes hidden text",
}
CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
# Letters that are written without spaces are counted one by one; so are words of letters only: how a number or a date
# is written is each program's own.
_WORD = re.compile(
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W\d_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]{2,}"
)
_BROKEN = re.compile(r"/(fail|indeterminate|filters-test)/|CVE|forcepoint|EDB-|LIBREOFFICE-")
_HYPHEN = re.compile(r"[-\u00ad\u2010]\s*\n\s*")


def words(text: str) -> Counter[str]:
    """The words of a text, however often each is there."""
    plain = unicodedata.normalize("NFKC", _HYPHEN.sub("", text)).replace("\u00ad", "").casefold()
    return Counter(_WORD.findall(plain))


def share(text: str, wanted: Counter[str], tool: str) -> float:
    """Which part of the wanted words was found; a drawn page breaks words in pieces, whose letters count."""
    found = words(text)
    if tool == "soffice-pdf":
        letters = "".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
        return sum(word in found or word in letters for word in wanted) / len(wanted)
    return (wanted & found).total() / wanted.total()


def wanted_words(path: Path, tool: str) -> Counter[str]:
    """What another program found; of drawn pages each word once, since they repeat footers and labels of charts."""
    found = words(_kept(path, tool).read_text("utf-8", "replace"))
    return Counter(found.keys()) if tool == "soffice-pdf" else found


@dataclass(frozen=True)
class Compared:
    """One document beside one other program."""

    path: Path
    tool: str
    share: float
    said: str

    @property
    def theirs(self) -> str:
        """What the other program writes that is not in the document."""
        return "; ".join(reason for part, reason in THEIRS.items() if part in self.path.name)

    @property
    def why(self) -> str:
        """Why words are missing: what the reader says it left out, or what the other program does."""
        return "; ".join(filter(None, (self.said, self.theirs)))


def figures(means: Means) -> Iterator[Figure]:
    """Kind by kind, then what is low."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or not CORPUS.is_dir():
        why = f"no {missing[0]}" if missing else f"no documents in {CORPUS}"
        yield not_measured("share of words", why)
        return
    low: list[Compared] = []
    everything: list[Compared] = []
    for kind, tools in KINDS.items():
        documents = _documents(kind, means.laps(PER_KIND))
        _prepare(documents, tools)
        for tool in tools:
            found = asyncio.run(_compared(documents, tool))
            if not found:
                yield not_measured(f"{kind} beside {tool}", "no document with words")
                continue
            shares = [one.share for one in found]
            name = f"{kind} beside {tool}, {len(found)} documents"
            yield Figure(
                name, statistics.mean(shares), "", (min(shares), max(shares)), Goal(0.98, at_most=False)
            )
            low += [one for one in found if one.share < LOW]
            everything += found
    ours = [one for one in everything if not one.theirs]
    for name, some in (("all {} comparisons", everything), ("{} without what others write themselves", ours)):
        if some:
            mean = statistics.mean(one.share for one in some)
            yield Figure(name.format(len(some)), mean, "", goal=Goal(0.98, at_most=False))
    unsaid = [one for one in low if not one.why]
    yield Figure("under nine tenths without a reason", len(unsaid), "", goal=at_most(0))
    for one in low:
        where = one.path.relative_to(CORPUS).as_posix()
        yield Figure(f"{where} beside {one.tool}", one.share, "", against=one.why)


def _documents(kind: str, most: int) -> list[Path]:
    """Some of a kind, the same every time; what is broken on purpose is another test's."""
    found = [
        path
        for path in sorted(CORPUS.rglob(f"*.{kind}"))
        if 0 < path.stat().st_size <= MOST_BYTES and not _BROKEN.search(str(path))
    ]
    Random(7).shuffle(found)
    # Many have a line of text only: six times as many are looked at.
    return found[: 6 * most]


def _kept(path: Path, tool: str) -> Path:
    return KEPT / f"{hashlib.sha256(path.read_bytes()).hexdigest()[:24]}.{tool}.txt"


def _prepare(documents: Sequence[Path], tools: Sequence[str]) -> None:
    """Have the other programs read what they have not read yet."""
    KEPT.mkdir(exist_ok=True)
    for tool in tools:
        waiting = [path for path in documents if not _kept(path, tool).exists()]
        for start in range(0, len(waiting), 10):
            _read_by(tool, waiting[start : start + 10])


def _read_by(tool: str, paths: Sequence[Path]) -> None:
    if tool in ("pdftotext", "pandoc"):
        for path in paths:
            options = [str(path), "-"] if tool == "pdftotext" else ["-t", "plain", "--wrap=none", str(path)]
            _kept(path, tool).write_bytes(_run([tool, *options]))
        return
    with tempfile.TemporaryDirectory() as made:
        named = {f"{number:03}": path for number, path in enumerate(paths)}
        for name, path in named.items():
            shutil.copy(path, Path(made, name + path.suffix.lower()))
        target = {"soffice": "txt:Text", "soffice-pdf": "pdf", "soffice-csv": CSV}[tool]
        inside = [str(Path(made, name + path.suffix.lower())) for name, path in named.items()]
        out = Path(made, "out")
        _run(["soffice", "--headless", "--convert-to", target, "--outdir", str(out), *inside], 300)
        for name, path in named.items():
            _kept(path, tool).write_bytes(_written(out, name))


def _written(out: Path, name: str) -> bytes:
    """What LibreOffice made of a document: a text, a PDF, or a table for each sheet."""
    found = sorted(out.glob(f"{name}*")) if out.is_dir() else []
    return b"\n".join(
        _run(["pdftotext", "-raw", str(one), "-"]) if one.suffix == ".pdf" else one.read_bytes()
        for one in found
    )


def _run(command: list[str], seconds: int = 60) -> bytes:
    try:
        made = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return b""
    return made.stdout


async def _compared(documents: Sequence[Path], tool: str) -> list[Compared]:
    extractor = ChildExtractor()
    found: list[Compared] = []
    for path in documents:
        wanted = wanted_words(path, tool)
        if wanted.total() < (LEAST_DRAWN if tool == "soffice-pdf" else LEAST_WORDS):
            continue
        try:
            document = await extractor.document(os.path.basename(path), path.read_bytes(), Reading())
        except CannotAttach as refusal:
            found.append(Compared(path, tool, 0.0, f"refused: {refusal.reason}"))
            continue
        said = "; ".join(document.read_as.notes)
        found.append(Compared(path, tool, share(document.text, wanted, tool), said))
        if len(found) >= PER_KIND:
            break
    await extractor.close()
    return found
