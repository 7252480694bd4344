"""Periodic noise in precomputed textures."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from planspec_pictures.rendering.solids import Array, Floats, as_float32

SIDE = 512
_COLUMNS = 480


@cache
def cloud_noise() -> Floats:
    """Return a periodic texture of noise at all scales, with values from 0 to 1."""
    return _sum_octaves(4, 8)


@cache
def grain_noise() -> Floats:
    """Return a periodic texture of fine noise, with values from 0 to 1."""
    return _sum_octaves(48, 5)


def _sum_octaves(first_cells: int, octaves: int) -> Floats:
    chance = np.random.Generator(np.random.PCG64(first_cells))
    noise = np.zeros((SIDE, SIDE), np.float32)
    cells, weight = first_cells, 1.0
    for _ in range(octaves):
        if cells > SIDE:
            break
        coarse = chance.random((cells, cells), np.float32)
        # interpolate the middle one of 3 by 3 copies, so that the noise is periodic
        wide = cv2.resize(np.tile(coarse, (3, 3)), (3 * SIDE, 3 * SIDE), interpolation=cv2.INTER_CUBIC)
        noise += weight * wide[SIDE : 2 * SIDE, SIDE : 2 * SIDE]
        cells, weight = cells * 2, weight * 0.55
    low, high = np.percentile(noise, (1, 99))
    return as_float32(np.clip((noise - low) / (high - low), 0, 1))


def sample_texture(texture: Floats, u: Array, v: Array) -> Floats:
    """Sample a texture, whose period is 1, at points (u, v)."""
    count = len(u)
    # OpenCV accepts at most 32,767 rows or columns
    rows = -(-count // _COLUMNS)
    x, y = np.zeros(rows * _COLUMNS, np.float32), np.zeros(rows * _COLUMNS, np.float32)
    x[:count] = (u - np.floor(u)) * SIDE
    y[:count] = (v - np.floor(v)) * SIDE
    samples = cv2.remap(
        texture,
        x.reshape(rows, _COLUMNS),
        y.reshape(rows, _COLUMNS),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_WRAP,
    )
    return np.asarray(samples, np.float32).reshape(-1)[:count]


def hash_to_unit(*numbers: Array) -> Floats:
    """Hash each tuple of integers to a pseudorandom number from 0 to 1."""
    mixed: NDArray[np.uint32] = np.zeros(len(numbers[0]), np.uint32)
    for factor, one in zip((0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F), numbers, strict=False):
        mixed ^= one.astype(np.int32).view(np.uint32) * np.uint32(factor)
        mixed ^= mixed >> np.uint32(15)
        mixed *= np.uint32(0x2C1B3C6D)
        mixed ^= mixed >> np.uint32(12)
    return (mixed & np.uint32(0xFFFF)).astype(np.float32) / np.float32(65535)
