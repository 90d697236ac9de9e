"""Settings that all tests share."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

# No deadline: on a busy machine it fails tests that are merely slow. The same examples on every run, so
# that a failure seen once can be seen again.
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True, scope="session")
def nobodys_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings and models that whoever runs the tests has for themselves must not change what they find."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_DATA_DIR", str(tmp_path_factory.mktemp("nobody") / "data"))
        yield
