"""YAML texts of the family's own data, read by libyaml if installed, in a tenth of the time."""

from __future__ import annotations

from typing import Any

import yaml

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parsed(text: str) -> Any:
    """Parse a YAML text.

    Raises:
        yaml.YAMLError: the text is not YAML.
    """
    return yaml.load(text, Loader=LOADER)  # noqa: S506 both loaders are safe
