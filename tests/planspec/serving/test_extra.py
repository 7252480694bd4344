"""Commands and functions that need the extra `mcp` report that it is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from planspec.serving import require_mcp


def test_the_error_without_mcp_names_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'planspec\[mcp\]'"):
        require_mcp()


@pytest.mark.slow
def test_the_library_is_loaded_only_when_it_is_needed() -> None:
    code = "import sys, planspec.serving, planspec.commands.serve_tools; sys.exit('mcp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
