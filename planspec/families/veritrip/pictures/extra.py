"""Libraries of the extra `images`, loaded on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def import_extra(module: str) -> Any:  # the members of the module are typed only by the library
    """Import a module that the extra `images` provides.

    Raises:
        ModuleNotFoundError: The extra is not installed. The message says how to install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"pictures need {module.partition('.')[0]}: pip install 'planspec[images]'", name=error.name
        ) from error


def require_images() -> None:
    """Check that the libraries that read and compare pictures are installed.

    Raises:
        ModuleNotFoundError: A library is not installed. The message says how to install it.
    """
    for module in ("PIL", "numpy", "cv2"):
        import_extra(module)


def require_drawing() -> None:
    """Check that the distribution that draws pictures is installed.

    Raises:
        ModuleNotFoundError: planspec-pictures is not installed. The message says how to install it.
    """
    try:
        import_module("planspec_pictures.scenes.composing")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "drawing pictures needs planspec-pictures: pip install planspec-pictures, or integrations/pictures of a checkout; "
            "`--images 0` draws none",
            name=error.name,
        ) from error
