"""Marks for tests that need optional packages.

The packages are not imported, so that collecting stays quick.
"""

from importlib.util import find_spec

import pytest


def needs(*modules: str, extra: str) -> pytest.MarkDecorator:
    """Return a mark that skips a test if a module is missing, and names the extra that installs it."""
    missing = [module for module in modules if find_spec(module) is None]
    reason = f"no {', '.join(missing)}: pip install 'planspec[{extra}]'"
    return pytest.mark.skipif(bool(missing), reason=reason)
