"""A document that is looked into twice is read once."""

from __future__ import annotations

from tests.fakes.attachments import MemoryAttachments
from tests.fakes.loop import in_calm_loop
from workbench.domain.files.document import AS_FOUND, Document, Reading
from workbench.engine.completion import Documents


class Counted(MemoryAttachments):
    """Tells what was read → AttachmentReader."""

    def __init__(self) -> None:
        super().__init__({})
        self.read_names: list[str] = []

    async def document(self, name: str, content: bytes, reading: Reading = AS_FOUND) -> Document:
        """The document, noted."""
        self.read_names.append(name)
        return await super().document(name, content, reading)


@in_calm_loop
async def test_the_last_few_documents_are_held():
    files = Counted()
    documents = Documents(files)
    first, digest = await documents.read("a.md", b"alpha")
    assert (first.text, len(digest)) == ("alpha", 64)
    assert (await documents.read("b.md", b"alpha"))[0] is first
    assert (await documents.read("a.md", b"alpha", Reading(encoding="latin-1")))[0] is not first
    assert files.read_names == ["a.md", "a.md"]
    for number in range(5):
        await documents.read(f"{number}.md", str(number).encode())
    assert (await documents.read("a.md", b"alpha"))[0] is not first
