"""A folder's tree: sums and boxes follow every change, and what somebody decided holds for what comes later."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.files.folder import FileCount, FolderEntry, FolderFilter, file_kind
from workbench.ui.dialogs.folder.dialog import best_first
from workbench.ui.dialogs.folder.nodes import NOTHING, Node, Sums, Tree, note_of


def entries(*paths: str) -> list[FolderEntry]:
    made = [FolderEntry(p.rstrip("/"), folder=True) for p in paths if p.endswith("/")]
    return made + [FolderEntry(p, file_kind(p), size_bytes=10) for p in paths if not p.endswith("/")]


def counted(**tokens: int) -> list[FileCount]:
    return [FileCount(path.replace("__", "/").replace("_", "."), n) for path, n in tokens.items()]


def tree(free_tokens: int | None = 1000) -> Tree:
    made = Tree("p", free_tokens)
    made.add(entries("src/", "docs/", "src/a.py", "src/b.py", "docs/c.md", "d.md"))
    return made


def found(made: Tree, path: str) -> Node:
    node = made.node(path)
    assert node is not None
    return node


def recomputed(node: Node) -> Sums:
    """The sums of a node from scratch."""
    own = node.own() if node.parent is not None else NOTHING
    below = [recomputed(child) for child in node.children.values()]
    return Sums(*map(sum, zip(own, *below, strict=True)))


def test_folders_stand_before_files_and_hidden_ones_behind():
    made = tree()
    made.add(entries(".git/", ".env", "A.md"))
    assert [node.name for node in made.root.shown] == ["docs", "src", ".git", "A.md", "d.md", ".env"]


def test_what_is_counted_comes_ticked_as_long_as_it_fits():
    made = tree(free_tokens=100)
    made.count(counted(src__a_py=60, src__b_py=50, docs__c_md=40, d_md=200))
    assert [node.path for node in made.ticked()] == ["docs/c.md", "src/a.py"]
    assert found(made, "src/b.py").left_off
    assert found(made, "d.md").left_off
    assert found(made, "src").sums[:7] == (2, 2, 2, 110, 1, 1, 60)
    assert made.root.sums.chosen_tokens == 100


def test_estimates_leave_room_for_what_they_are_short_by():
    """Filled to the last token, the request was over its mark as soon as it was really counted."""
    made = tree(free_tokens=100)
    made.count([FileCount("src/a.py", 50, exact=False), FileCount("src/b.py", 45, exact=False)])
    assert [node.path for node in made.ticked()] == ["src/a.py"]
    made.count([FileCount("d.md", 40, exact=False)])
    assert [node.path for node in made.ticked()] == ["src/a.py", "d.md"]


def test_without_a_request_nothing_is_ticked_by_itself():
    made = tree(free_tokens=None)
    made.count(counted(src__a_py=1))
    assert made.ticked() == []
    assert not found(made, "src/a.py").left_off


def test_what_was_counted_before_the_room_was_known_comes_ticked_when_it_is():
    made, early = tree(free_tokens=None), tree(free_tokens=100)
    counts = counted(src__a_py=60, src__b_py=50, docs__c_md=40, d_md=200)
    for each in (made, early):
        each.count(counts)
    made.learn_room(None, None)
    assert made.ticked() == []
    made.learn_room(100, None)
    assert made.choices() == early.choices() == {
        "src/a.py": True, "src/b.py": False, "docs/c.md": True, "d.md": False,
    }  # fmt: skip
    assert made.root.sums == early.root.sums == recomputed(made.root)
    made.learn_room(1_000, None)
    assert made.choices() == early.choices()


def test_what_somebody_unticked_or_chose_stays_so_when_the_room_becomes_known():
    made = tree(free_tokens=None)
    for on in (True, False):
        made.tick(found(made, "src/a.py"), on)
    made.tick(found(made, "d.md"), True)
    made.count(counted(src__a_py=1, docs__c_md=50, d_md=60))
    made.tick(found(made, "docs"), False)
    again = Tree("p")
    again.kept = made.choices()
    again.add(entries("src/", "docs/", "src/a.py", "src/b.py", "docs/c.md", "d.md"))
    again.count(counted(src__a_py=1, src__b_py=2, docs__c_md=50, d_md=60))
    for each, files in ((made, ["d.md"]), (again, ["src/b.py", "d.md"])):
        each.learn_room(100, None)
        assert [node.path for node in each.ticked()] == files


def test_a_folder_that_was_ticked_holds_for_what_comes_later():
    made = tree(free_tokens=0)
    made.tick(found(made, "src"), True)
    made.add(entries("src/late.py"))
    made.count(counted(src__late_py=10, d_md=10))
    assert {node.path for node in made.ticked()} == {"src/a.py", "src/b.py", "src/late.py"}
    made.tick(made.root, False)
    made.add(entries("src/later.py"))
    assert made.ticked() == []


def test_only_what_was_named_comes_ticked():
    made = Tree("p", 1000)
    made.only = frozenset({"b.py"})
    made.add(entries("a.py", "b.py"))
    made.count(counted(a_py=1, b_py=2))
    assert [node.path for node in made.ticked()] == ["b.py"]


def test_another_look_keeps_what_was_ticked():
    made = tree()
    made.count(counted(src__a_py=1, src__b_py=1, d_md=1, docs__c_md=1))
    made.tick(found(made, "src/a.py"), False)
    again = Tree("p", 1000)
    again.kept = made.choices()
    again.add(entries("src/", "src/a.py", "src/b.py", ".env"))
    again.count(counted(src__a_py=1, src__b_py=1))
    assert [node.path for node in again.ticked()] == ["src/b.py"]


def test_without_what_is_below_only_the_folder_s_own_files_are_ticked():
    made = tree(free_tokens=0)
    made.tick(made.root, True, deep=False)
    assert [node.path for node in made.ticked()] == ["d.md"]


def test_under_a_filter_only_what_is_seen_is_ticked():
    """Ticking the folder ticked thousands of files that a filter hid."""
    made = tree(free_tokens=0)
    made.filter(FolderFilter("a.py"))
    assert [node.path for node in made.root.files(shown_only=True)] == ["src/a.py"]
    made.tick(made.root, True)
    made.filter(FolderFilter())
    assert [node.path for node in made.ticked()] == ["src/a.py"]
    assert [node.name for node in made.root.shown] == ["docs", "src", "d.md"]


def test_under_a_filter_what_comes_later_is_seen_with_its_folders():
    made = Tree("p", 0)
    made.filter(FolderFilter("*.py"))
    made.add(entries("x/", "x/y/", "x/n.md"))
    assert made.root.shown == []
    made.add(entries("x/y/z.py"))
    assert [node.path for node in made.root.files(shown_only=True)] == ["x/y/z.py"]


def test_what_is_attached_or_refused_cannot_be_ticked():
    made = tree()
    made.set_attached(frozenset({"src/a.py"}))
    made.count([FileCount("src/b.py", standing="binary", reason="binary")])
    made.tick(made.root, True)
    assert [node.path for node in made.ticked()] == ["docs/c.md", "d.md"]
    assert not found(made, "src").choosable
    made.set_attached(frozenset())
    assert found(made, "src").choosable
    assert made.root.sums == recomputed(made.root)


def test_kinds_are_counted_once():
    assert tree().kinds == {"code": 2, "text": 2}


PATHS = [f"{folder}{name}" for folder in ("", "a/", "a/b/", "c/") for name in ("x.py", "y.md", "z.log")]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["add", "count", "tick", "attach", "filter"]),
            st.sampled_from(PATHS),
            st.integers(0, 50),
        ),
        max_size=30,
    )
)
def test_sums_are_those_of_the_files_whatever_happens(steps: list[tuple[str, str, int]]):
    made = Tree("p", 100)
    made.add(entries("a/", "a/b/", "c/"))
    for act, path, number in steps:
        match act:
            case "add":
                made.add(entries(path))
            case "count":
                made.count([FileCount(path, number, exact=bool(number % 2))])
            case "tick":
                made.tick(made.node(path) or made.root, bool(number % 2), bool(number % 3))
            case "attach":
                made.set_attached(frozenset({path}))
            case "filter":
                made.filter(FolderFilter("*.py" if number % 2 else ""))
    assert made.root.sums == recomputed(made.root)
    assert sum(1 for _ in made.ticked()) == made.root.sums.chosen


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
