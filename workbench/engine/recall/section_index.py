"""The sections of attached texts, by their words: an index that follows what is attached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field

from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.shorten.sections import TextSection, sections_of
from workbench.domain.files.attachment import Artifact


@dataclass(slots=True)
class SectionIndex:
    """The sections of some texts; `texts` are those that were read, by key and digest.

    `named`: what a text is called counts as its words, too.
    """

    index: PassageIndex = field(default_factory=PassageIndex)
    texts: tuple[tuple[str, str], ...] = ()
    sections: dict[str, tuple[Artifact, TextSection]] = field(default_factory=dict)
    named: bool = False

    def follow(self, artifacts: tuple[Artifact, ...]) -> Generator[None, None, None]:
        """Read what is new; where something went or changed, all of it anew."""
        wanted = tuple((one.key, one.content_digest) for one in artifacts)
        if wanted[: len(self.texts)] != self.texts:
            self.index, self.texts, self.sections = PassageIndex(), (), {}
        for place, artifact in enumerate(artifacts):
            if place < len(self.texts):
                continue
            index, sections = self.index, self.sections
            pieces: Counter[str] = Counter()
            for section in sections_of(artifact.told, artifact.text):
                pieces[section.anchor] += 1
                key = _key(artifact, section, pieces[section.anchor])
                text = artifact.text[section.start : section.end]
                if text.strip() and key not in sections:
                    sections[key] = (artifact, section)
                    title = (
                        f"{artifact.told}\n{section.title}"
                        if self.named and not section.start
                        else section.title
                    )
                    index.add(Passage(key, f"{title}\n{text}", group=artifact.key))
                yield
                if self.index is not index:
                    return  # somebody else reads other texts by now
            if place == len(self.texts):  # else somebody else has read it meanwhile, too
                self.texts = (*self.texts, (artifact.key, artifact.content_digest))


def _key(artifact: Artifact, section: TextSection, piece: int) -> str:
    """What a section is called; the pieces of one long line have the same lines, and a number from the second on."""
    return f"{artifact.key}#{section.anchor}" + (f".{piece}" if piece > 1 else "")
