"""`planspec verify` as a whole process, the first time and later, beside importing what it cannot do without.

Method: the three commands in turn, `--rounds` times after one warm-up; medians of seconds of CPU (user and system) and of
the ratios round by round. All find compiled bytecode, as installed programs do. The first time no checked task is kept, and
later one is.
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


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """The CPU time of a process that succeeds, user and system."""
    begun = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    ended = os.times()
    return ended.children_user + ended.children_system - begun.children_user - begun.children_system


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
        later = {**bytecode, VARIABLE: f"{folder}/tasks"}
        taken = [
            (seconds(IMPORTS, bytecode), seconds(verify, first), seconds(verify, later))
            for _ in range(rounds + 1)
        ][1:]
    imports = statistics.median(each[0] for each in taken)
    print(f"third-party imports alone {imports:.3f} s")
    for place, name in ((1, "the first time"), (2, "later")):
        spent = statistics.median(each[place] for each in taken)
        ratio = statistics.median(each[place] / each[0] for each in taken)
        print(f"planspec verify {name:14} {spent:.3f} s, {ratio:.2f} times as long")


if __name__ == "__main__":
    main()
