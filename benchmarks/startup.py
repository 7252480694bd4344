"""Start-up cost of `planspec verify`, with and without a cached task, compared with the cost of its imports.

Method: three commands alternate, `--rounds` times after a warm-up: a first run without a checked task in the cache, a
later run with one, and a process that only imports the third-party packages. Figures are medians of CPU seconds
(user and system) and of the ratios in each round. Bytecode is compiled beforehand, as for installed programs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from planspec.api.catalog import Catalog
from planspec.api.task_cache import VARIABLE

IMPORTS = [sys.executable, "-c", "import typer, pydantic, yaml, lark"]


def cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    """Run a process that must succeed, and return its CPU time (user and system) in seconds."""
    start = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    end = os.times()
    return end.children_user + end.children_system - start.children_user - start.children_system


def main() -> None:
    """Print the medians and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    answer = Catalog().suite_path("worldtravel").parent / "answers" / "demo-pass.json"
    verify = [sys.executable, "-m", "planspec", "verify", str(answer)]
    with tempfile.TemporaryDirectory() as folder:
        bytecode = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        bytecode["PYTHONPYCACHEPREFIX"] = folder
        first = {**bytecode, VARIABLE: ""}
        cached = {**bytecode, VARIABLE: f"{folder}/tasks"}
        times = [
            (cpu_seconds(IMPORTS, bytecode), cpu_seconds(verify, first), cpu_seconds(verify, cached))
            for _ in range(rounds + 1)
        ][1:]
    imports = statistics.median(each[0] for each in times)
    print(f"third-party imports alone {imports:.3f} s")
    for place, name in ((1, "the first time"), (2, "later")):
        spent = statistics.median(each[place] for each in times)
        ratio = statistics.median(each[place] / each[0] for each in times)
        print(f"planspec verify {name:14} {spent:.3f} s, {ratio:.2f} times as long")


if __name__ == "__main__":
    main()
