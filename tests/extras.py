"""Other projects' packages that tests drive, looked for without importing them: collecting tests must stay quick."""

from importlib.util import find_spec

import pytest


def needs(*modules: str, extra: str) -> pytest.MarkDecorator:
    """Skips what it marks, and says which extra brings the modules, where one of them is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    said = f"no {', '.join(missing)}: pip install 'planspec[{extra}]'"
    return pytest.mark.skipif(bool(missing), reason=said)
