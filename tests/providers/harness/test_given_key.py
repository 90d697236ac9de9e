"""A key that was given for one call."""

from __future__ import annotations

from tests.fakes.loop import in_loop
from workbench.domain.secrets import Secret
from workbench.providers.harness.given_key import GivenKey, NoKeys

KEY = Secret.of_text("sk-one")


@in_loop
async def test_a_key_goes_to_the_origin_it_was_given_for():
    """It went to whoever asked first: a chat's old server, while its new one got none."""
    keys = GivenKey("https://a.example:443", KEY)
    assert await keys.find("https://b.example:443") is None
    assert await keys.find("https://a.example:443") == KEY
    assert await keys.origins() == ("https://a.example:443",)


@in_loop
async def test_nothing_is_kept():
    for keys in (GivenKey("https://a.example:443", KEY), NoKeys()):
        await keys.keep("https://c.example:443", Secret.of_text("other"))
        assert "https://c.example:443" not in await keys.origins()
    assert await NoKeys().find("https://c.example:443") is None
