"""A renderer of one's own: which chunks it is for, whose words they are, and their tags.

Another package offers one under the entry point `workbench.renderers`; a build is handed those that were found.
"""

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.turns import fake_builder, user
from workbench.context.outgoing import model_request
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.context.text.fence import Wrapped, wrap
from workbench.domain.chunk import Chunk, SystemChunk
from workbench.domain.message import Role
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.conversation import Conversation


class WeatherRenderer:
    def can_render(self, chunk: Chunk) -> bool:
        return dict(chunk.custom).get("about") == "weather"

    def role(self, chunk: Chunk) -> Role:
        return "user"

    def render(self, chunk: Chunk) -> Wrapped:
        return wrap("weather", [("id", chunk.id)], chunk.body)


def test_the_builder_uses_it():
    builder = replace(fake_builder(WORD_MODEL), renderers=RendererRegistry((WeatherRenderer(),)))
    rain = SystemChunk("w1", "Rain.", custom=(("about", "weather"),))
    conversation = Conversation("talk", history=(rain,))
    prepared = prepare_turn(conversation, Ask(ContextSettings(model="word-1"), user("q")), builder)
    sent = [message.text for message in model_request(prepared.built).messages]
    assert any('id="w1"' in text and text.startswith("<weather") and "Rain." in text for text in sent), sent
