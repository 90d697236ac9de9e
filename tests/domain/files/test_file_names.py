"""What a model is told a file is called: unique, as short as can be, and never the way to somebody's folder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.files.file_names import (
    candidate_names,
    free_name,
    is_rooted,
    shareable_parts,
    short_path,
)


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("/home/ada/work/api.md", ("work", "api.md")),
        ("/home/ada/api.md", ("api.md",)),
        ("/Users/ada/Desktop/a b.md", ("Desktop", "a b.md")),
        ("/root/x/api.md", ("x", "api.md")),
        ("/var/home/ada/x.md", ("x.md",)),
        ("/srv/data/x.md", ("srv", "data", "x.md")),
        ("C:\\Users\\Ada\\Documents\\x.md", ("Documents", "x.md")),
        ("C:/Users/Ada/x.md", ("x.md",)),
        ("D:\\work\\x.md", ("work", "x.md")),
        ("\\\\server\\share\\team\\x.md", ("team", "x.md")),
        ("/mnt/c/Users/ada/x.md", ("x.md",)),
        ("../../other/x.md", ("other", "x.md")),
        ("/home/x.md", ("x.md",)),
        ("/x.md", ("x.md",)),
    ],
)
def test_what_leads_to_a_persons_folder_is_left_out(path: str, steps: tuple[str, ...]):
    assert shareable_parts(path) == steps
    assert is_rooted(path)


def test_a_home_that_lies_elsewhere_is_left_out_too():
    assert shareable_parts("/data/people/ada/work/x.md", "/data/people/ada") == ("work", "x.md")
    assert shareable_parts("/data/people/adam/x.md", "/data/people/ada") == ("data", "people", "adam", "x.md")
    assert shareable_parts("E:\\Profiles\\Ada\\x.md", "E:\\profiles\\ada") == ("x.md",)


def test_names_grow_by_a_folder_until_one_is_free():
    names = candidate_names(("a", "b", "x.md"))
    assert names == ("x.md", "b/x.md", "a/b/x.md")
    assert free_name(names, {"x.md"}) == "b/x.md"
    assert free_name(names, set(names)) == "x.md (2)"
    assert free_name(names, {*names, "x.md (2)"}) == "x.md (3)"
    assert candidate_names(("a", "b", "x.md"), least=2) == ("b/x.md", "a/b/x.md")
    assert candidate_names(("x.md",), least=5) == ("x.md",)


def test_plain_names_need_none():
    for path in ("x.md", "docs/x.md", "picture:12", "selection", "..x/y.md"):
        assert not is_rooted(path)
        assert short_path(path) == path
    assert short_path("/srv/a/b/x.md") == "b/x.md"


step = st.text(alphabet="abÄ漢 .-", min_size=1, max_size=6).filter(lambda text: text.strip(" ."))


@given(user=st.text(alphabet="klmn", min_size=3, max_size=8), below=st.lists(step, min_size=1, max_size=5))
def test_no_name_ever_holds_the_user(user: str, below: list[str]):
    for home in (f"/home/{user}", f"/Users/{user}", f"C:/Users/{user}", f"C:\\Users\\{user}"):
        joined = "\\".join((home, *below)) if "\\" in home else "/".join((home, *below))
        for name in candidate_names(shareable_parts(joined)):
            assert user not in name
            assert home not in name
            assert name.endswith(below[-1])


def test_a_folder_called_users_in_what_was_chosen_is_one_like_any_other():
    path = "/srv/app/users/views/x.md"
    assert candidate_names(shareable_parts(path, least=3), 3)[0] == "users/views/x.md"
    assert shareable_parts(path) == ("x.md",)
    assert candidate_names(shareable_parts("/home/bob/x.md", least=2), 2) == ("x.md",)
