"""YAML texts of the family's own data, read by libyaml where it is there: in a tenth of the time."""

from __future__ import annotations

from typing import Any

import yaml

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parsed(text: str) -> Any:
    """What a text says.

    Raises:
        yaml.YAMLError: it is no YAML.
    """
    return yaml.load(text, Loader=LOADER)  # noqa: S506 both loaders are safe
