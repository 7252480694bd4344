"""Commands and functions that need the extra `inspect` report that it is missing."""

from __future__ import annotations

import subprocess
import sys

CODE = """\
import sys
sys.modules["inspect_ai"] = None
try:
    import planspec.inspecting
except ModuleNotFoundError as error:
    print(error)
"""


def test_the_error_without_inspect_names_the_extra_to_install() -> None:
    result = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert (result.stdout, result.returncode) == (
        "tasks of Inspect need an extra: pip install 'planspec[inspect]'\n",
        0,
    )
