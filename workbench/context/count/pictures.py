"""What a picture costs, by the rule that its provider publishes; where there is none, an estimate, called so."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from workbench.domain.message import Image
from workbench.domain.models.model import PictureRule

# OpenAI's tiles: https://platform.openai.com/docs/guides/images-vision
_TILE, _LONGEST_SIDE, _SHORTER_SIDE = 512, 2048, 768
_PATCH = 32
_UNKNOWN_TOKENS = 765  # one 1024 × 1024 picture in high detail, the usual size of a screenshot
_ESTIMATE = PictureRule("tiles", base_tokens=85, tile_tokens=170)


def pictures_tokens(images: Iterable[Image], rule: PictureRule | None) -> int:
    """What pictures cost together."""
    return sum(picture_tokens(image, rule) for image in images)


def picture_tokens(image: Image, rule: PictureRule | None) -> int:
    """What a picture costs: as somebody said, by the model's rule, or about so much."""
    if image.tokens is not None:
        return image.tokens
    if not (image.width and image.height):
        return _UNKNOWN_TOKENS
    rule = rule or _ESTIMATE
    match rule.rule:
        case "tiles":
            return _by_tiles(image.width, image.height, rule)
        case "patches":
            return _by_patches(image.width, image.height, rule)
        case "pixels":
            return _by_pixels(image.width, image.height, rule)


def is_guess(image: Image, rule: PictureRule | None) -> bool:
    """Whether nobody has published what this picture costs."""
    return image.tokens is None and (rule is None or not (image.width and image.height))


def _by_tiles(width: int, height: int, rule: PictureRule) -> int:
    """Shrunk into 2048 × 2048, then until the shorter side is at most 768: a base, and a price for each tile of 512."""
    scale = min(
        Fraction(1),
        Fraction(_LONGEST_SIDE, max(width, height)),
        Fraction(_SHORTER_SIDE, min(width, height)),
    )
    tiles = math.ceil(width * scale / _TILE) * math.ceil(height * scale / _TILE)
    return rule.base_tokens + rule.tile_tokens * max(1, tiles)


def _by_patches(width: int, height: int, rule: PictureRule) -> int:
    """Patches of 32 × 32, shrunk where they are too many, times the model's multiplier, rounded up."""
    patches = math.ceil(width / _PATCH) * math.ceil(height / _PATCH)
    if rule.most_patches and patches > rule.most_patches:
        across, down = _shrunk(width / _PATCH, height / _PATCH, rule.most_patches)
        patches = min(rule.most_patches, across * down)
    return math.ceil(Fraction(patches * rule.multiplier_percent, 100))


def _shrunk(across: float, down: float, most: int) -> tuple[int, int]:
    """Sides in patches, so small that they fit and one of them is whole, as OpenAI describes it."""
    scale = math.sqrt(most / (across * down))
    scale *= min(max(1, math.floor(side * scale)) / (side * scale) for side in (across, down))
    # A side that is whole may come out as 33.0000000001, which is not 34 patches.
    return max(1, math.ceil(round(across * scale, 6))), max(1, math.ceil(round(down * scale, 6)))


def _by_pixels(width: int, height: int, rule: PictureRule) -> int:
    """So many pixels a token, rounded up, after the longest edge was shrunk; a larger picture is shrunk further."""
    scale = min(Fraction(1), Fraction(rule.longest_edge or max(width, height), max(width, height)))
    tokens = math.ceil(width * scale * height * scale / rule.pixels_per_token)
    return min(tokens, rule.most_tokens or tokens)
