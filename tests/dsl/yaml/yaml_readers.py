"""The readers of YAML that there are: PyYAML's own, and libyaml where it was built with that."""

from __future__ import annotations

import pytest
import yaml

from planspec.dsl.yaml.events import PureLoader

PURE: object = PureLoader
LIBYAML: object | None = getattr(yaml, "CSafeLoader", None)
READERS = [pytest.param(PURE, id="pure")]
if LIBYAML is not None:
    READERS.append(pytest.param(LIBYAML, id="libyaml"))
