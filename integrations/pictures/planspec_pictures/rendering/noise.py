"""Periodic noise, looked up instead of computed."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from planspec_pictures.rendering.solids import Array, Floats, single

SIDE = 512
_WIDE = 480


@cache
def clouds() -> Floats:
    """Return noise of all sizes, 0 to 1 with 0.5 in the middle, that fits together at its edges."""
    return _octaves(4, 8)


@cache
def grain() -> Floats:
    """Return noise of small sizes, 0 to 1 with 0.5 in the middle, that fits together at its edges."""
    return _octaves(48, 5)


def _octaves(first: int, octaves: int) -> Floats:
    chance = np.random.Generator(np.random.PCG64(first))
    noise = np.zeros((SIDE, SIDE), np.float32)
    cells, weight = first, 1.0
    for _ in range(octaves):
        if cells > SIDE:
            break
        coarse = chance.random((cells, cells), np.float32)
        # three copies in each direction, so that the middle one has its neighbours
        wide = cv2.resize(np.tile(coarse, (3, 3)), (3 * SIDE, 3 * SIDE), interpolation=cv2.INTER_CUBIC)
        noise += weight * wide[SIDE : 2 * SIDE, SIDE : 2 * SIDE]
        cells, weight = cells * 2, weight * 0.55
    low, high = np.percentile(noise, (1, 99))
    return single(np.clip((noise - low) / (high - low), 0, 1))


def sample_texture(texture: Floats, u: Array, v: Array) -> Floats:
    """Sample a texture at points; its period is 1."""
    count = len(u)
    # OpenCV accepts at most 32,767 rows or columns
    rows = -(-count // _WIDE)
    x, y = np.zeros(rows * _WIDE, np.float32), np.zeros(rows * _WIDE, np.float32)
    x[:count] = (u - np.floor(u)) * SIDE
    y[:count] = (v - np.floor(v)) * SIDE
    samples = cv2.remap(
        texture, x.reshape(rows, _WIDE), y.reshape(rows, _WIDE), cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP
    )
    return np.asarray(samples, np.float32).reshape(-1)[:count]


def scattered(*numbers: Array) -> Floats:
    """Return a pseudorandom number between 0 and 1 for each tuple of whole numbers."""
    mixed: NDArray[np.uint32] = np.zeros(len(numbers[0]), np.uint32)
    for factor, one in zip((0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F), numbers, strict=False):
        mixed ^= one.astype(np.int32).view(np.uint32) * np.uint32(factor)
        mixed ^= mixed >> np.uint32(15)
        mixed *= np.uint32(0x2C1B3C6D)
        mixed ^= mixed >> np.uint32(12)
    return (mixed & np.uint32(0xFFFF)).astype(np.float32) / np.float32(65535)
