"""The available YAML readers: PyYAML's reader in Python, and libyaml if PyYAML was built with it."""

from __future__ import annotations

import pytest
import yaml

from planspec.dsl.yaml.events import PureLoader

PURE: object = PureLoader
LIBYAML: object | None = getattr(yaml, "CSafeLoader", None)
READERS = [pytest.param(PURE, id="pure")]
if LIBYAML is not None:
    READERS.append(pytest.param(LIBYAML, id="libyaml"))
