"""Which files come ticked where not all fit: those that the message names, else the newest."""

from __future__ import annotations

from workbench.domain.files.folder import FileCount, FolderEntry, file_kind
from workbench.ui.dialogs.folder.dialog import best_first
from workbench.ui.dialogs.folder.nodes import Tree, note_of

STAMPS = {
    "alpha.py": 10, "src": 0, "src/auth.py": 20, "src/token_refresh.py": 30, "src/zeta.py": 99, "tests/refresh.md": 5,
}  # fmt: skip


def settled(draft: str, room: int = 100, cost: int = 50) -> list[str]:
    """What is ticked at the end of a look, where everything costs the same."""
    tree = Tree("p", room)
    tree.add(
        [
            FolderEntry(
                path, file_kind(path) if stamp else None, folder=not stamp, size_bytes=10, stamp=stamp
            )
            for path, stamp in STAMPS.items()
        ]
    )
    tree.count([FileCount(path, cost) for path, stamp in STAMPS.items() if stamp])
    tree.settle(lambda files: best_first(files, draft))
    return sorted(node.path for node in tree.ticked())


def test_files_that_the_message_names_come_first_and_nothing_else():
    """The first ones by the alphabet came ticked, whatever was asked."""
    assert settled("Why does the token refresh fail?") == ["src/token_refresh.py", "tests/refresh.md"]
    assert settled("Why do tokens expire?") == ["src/token_refresh.py"], "an ending is no other word"
    assert settled("What does alpha.py do with auth?") == ["alpha.py", "src/auth.py"]


def test_where_it_names_none_the_newest_that_fit_do():
    assert settled("") == ["src/token_refresh.py", "src/zeta.py"]
    assert settled("How are you?") == ["src/token_refresh.py", "src/zeta.py"]


def test_where_everything_fits_everything_is_ticked():
    assert len(settled("Why does the token refresh fail?", room=1_000)) == 5


def test_what_somebody_chose_stays_chosen():
    tree = Tree("p", 60)
    tree.add(
        [FolderEntry(name, "code", size_bytes=10, stamp=n) for n, name in enumerate(("a.py", "b.py"), 1)]
    )
    first = tree.node("a.py")
    assert first is not None
    tree.tick(first, True)
    tree.count([FileCount("a.py", 50), FileCount("b.py", 50)])
    tree.settle(lambda files: best_first(files, "b"))
    assert [node.path for node in tree.ticked()] == ["a.py"]


def test_a_file_that_does_not_come_ticked_says_why_though_it_fits(qapp):
    """The box was empty and nobody could know why."""
    names = ("alpha.py", "beta.py", "gamma.py", "huge.py")
    tree = Tree("p", 100, 60)
    tree.add([FolderEntry(name, "code", size_bytes=10, stamp=n) for n, name in enumerate(names, 1)])
    tree.count(
        [
            FileCount("alpha.py", 50),
            FileCount("beta.py", 40),
            FileCount("gamma.py", 55),
            FileCount("huge.py", 500),
        ]
    )

    def said(draft: str) -> dict[str, str]:
        tree.settle(lambda files: best_first(files, draft))
        nodes = [node for name in names if (node := tree.node(name)) is not None]
        return {node.name: note_of(node, None, tree.free_tokens).words for node in nodes if not node.ticked}

    huge = {"huge.py": "more than is free, so left off"}
    unnamed = "not named in your message, so left off"
    assert said("What does alpha do?") == {"beta.py": unnamed, "gamma.py": unnamed, **huge}
    assert said("") == {
        "alpha.py": "no room beside the others, so left off", "beta.py": "would trim earlier turns, so left off", **huge
    }  # fmt: skip
