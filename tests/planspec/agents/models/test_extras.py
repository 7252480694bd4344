from __future__ import annotations

import sys

import pytest

from planspec.agents import agent


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_the_error_without_a_client_library_names_the_extra_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=rf"pip install 'planspec\[{name}\]'"):
        agent(f"{name}:model=m,base_url=http://127.0.0.1:1")


@pytest.mark.slow
def test_no_client_is_imported_before_it_is_needed() -> None:
    import subprocess

    code = "import sys, planspec.agents.models, planspec.agents.loops; sys.exit('openai' in sys.modules or 'anthropic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
