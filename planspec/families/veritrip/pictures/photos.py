"""Photos of pictures: what a visitor's camera would have made of the scene."""

from __future__ import annotations

import math
from hashlib import blake2b
from io import BytesIO
from typing import TYPE_CHECKING, Literal, TypeAlias

from planspec.families.veritrip.pictures.canvas import HEIGHT, SCENE
from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.pictures.decoding import UnreadablePicture, decoded
from planspec.families.veritrip.pictures.extra import imported

if TYPE_CHECKING:
    from PIL.Image import Image

Strength: TypeAlias = Literal["mild", "strong"]

_LEAST = 32


def photo(picture: bytes, seed: int, strength: Strength) -> bytes:
    """A visitor's photo of a picture: a part of the scene, aslant, in other light, blurred, grainy.

    The board with the name is never on it: nothing of the photo depends on the board.

    Args:
        picture: as drawn by `draw`; of another picture the lowest 72 of 384 parts count as the board.
        seed: another one takes another photo.
        strength: `mild` keeps 45 to 60 % of the area, turned by at most 2 degrees; `strong` keeps 35 to 45 %, turned
            by 3 to 7 degrees, with more blur, grain and compression.

    Returns:
        A JPEG of 480 by 360 pixels; the same bytes for the same arguments and library versions.

    Raises:
        UnreadablePicture: the bytes are no picture, or one of less than 32 pixels in width or height.
    """
    image = decoded(picture)
    if min(image.size) < _LEAST:
        raise UnreadablePicture(f"{image.width} by {image.height} pixels are too few for a photo")
    # Two rows off, since the pixels between are blends of both.
    scene = image.crop((0, 0, image.width, image.height * SCENE // HEIGHT - 2))
    # The digest is of the scene, so that photos of two pictures with one seed are not cut alike.
    dice = Dice("photo", blake2b(scene.tobytes(), digest_size=16).hexdigest(), seed, strength)
    taken = _developed(_cut(scene, image.width * image.height, dice, strength), dice, strength)
    out = BytesIO()
    taken.save(out, "JPEG", quality=dice.whole(68, 84) if strength == "mild" else dice.whole(38, 56))
    return out.getvalue()


def _cut(scene: Image, pixels: int, dice: Dice, strength: Strength) -> Image:
    """A part of the scene that stands aslant in it; its area is a share of `pixels`."""
    pil = imported("PIL.Image")
    wide, high = scene.size
    area, degrees = dice.whole(47, 59), dice.whole(-20, 20) / 10
    if strength == "strong":
        area, degrees = dice.whole(36, 44), dice.pick((-1, 1)) * dice.whole(30, 70) / 10
    turn = math.radians(degrees)
    sine, cosine = abs(math.sin(turn)), math.cos(turn)
    across = math.sqrt(pixels * area / 75)
    down = across * 3 / 4
    # A picture of other proportions than a drawn one may be too narrow for that: then less of it is kept.
    fitting = min(1.0, wide / (across * cosine + down * sine), high / (across * sine + down * cosine))
    across, down = across * fitting, down * fitting
    half_wide, half_high = (across * cosine + down * sine) / 2, (across * sine + down * cosine) / 2
    x = half_wide + (wide - 2 * half_wide) * dice.whole(0, 1000) / 1000
    y = half_high + (high - 2 * half_high) * dice.whole(0, 1000) / 1000

    def at(side: float, lift: float) -> tuple[float, float]:
        a, b = side * across / 2, lift * down / 2
        return x + a * math.cos(turn) - b * math.sin(turn), y + a * math.sin(turn) + b * math.cos(turn)

    corners = (*at(-1, -1), *at(-1, 1), *at(1, 1), *at(1, -1))
    return scene.transform((480, 360), pil.Transform.QUAD, corners, resample=pil.Resampling.BICUBIC)


def _developed(image: Image, dice: Dice, strength: Strength) -> Image:
    """Another light, another lens, another film."""
    np, pil = imported("numpy"), imported("PIL.Image")
    blur = imported("PIL.ImageFilter").GaussianBlur
    strong = strength == "strong"
    spread = 26 if strong else 12
    light, contrast = (
        dice.whole(100 - spread, 100 + spread) / 100,
        dice.whole(100 - spread, 100 + spread // 2) / 100,
    )
    cast = [dice.whole(100 - spread // 2, 100 + spread // 2) / 100 for _ in range(3)]
    image = image.filter(blur(dice.whole(12, 20) / 10 if strong else dice.whole(4, 9) / 10))
    values = np.asarray(image, dtype=np.float32)
    values = ((values - 128) * contrast + 128) * light * np.array(cast, dtype=np.float32)
    # The bit generator's own words make the grain: unlike a generator's distributions they are the same in all versions.
    words = np.random.PCG64(dice.number()).random_raw((values.size + 1) // 2).view(np.uint8)
    grain = words.reshape(-1, 4)[: values.size].astype(np.float32).sum(axis=1) - 510
    # The sum of four even bytes spreads by 148.
    values = values + grain.reshape(values.shape) * (
        (dice.whole(8, 13) if strong else dice.whole(2, 5)) / 148
    )
    return pil.fromarray(np.clip(values, 0, 255).astype(np.uint8))  # type: ignore[no-any-return]
