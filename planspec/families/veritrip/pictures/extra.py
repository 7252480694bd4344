"""Libraries of the extra `images`, loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def imported(module: str) -> Any:  # a module's members have no type before it is loaded
    """Import a module of the extra.

    Raises:
        ModuleNotFoundError: The extra is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"pictures need {module.partition('.')[0]}: pip install 'planspec[images]'", name=error.name
        ) from error


def require_images() -> None:
    """Require the libraries that read and compare pictures.

    Raises:
        ModuleNotFoundError: They are not installed; the message says how to install them.
    """
    for module in ("PIL", "numpy", "cv2"):
        imported(module)


def require_drawing() -> None:
    """Require the distribution that draws pictures.

    Raises:
        ModuleNotFoundError: planspec-pictures is not installed; the message says how to install it.
    """
    try:
        import_module("planspec_pictures.scenes.composing")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "drawing pictures needs planspec-pictures: pip install planspec-pictures, or integrations/pictures of a checkout; "
            "`--images 0` draws none",
            name=error.name,
        ) from error
