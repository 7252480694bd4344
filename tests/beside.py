"""The folder `benchmarks` beside the tests, which is no part of what is installed and on no import path."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from tests.paths import ROOT


def benchmark(name: str) -> ModuleType:
    """A module of `benchmarks`, which is made importable first."""
    if "benchmarks" not in sys.modules:
        folder = ROOT / "benchmarks"
        spec = spec_from_file_location(
            "benchmarks", folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules["benchmarks"] = package = module_from_spec(spec)
        spec.loader.exec_module(package)
    return import_module(f"benchmarks.{name}")
