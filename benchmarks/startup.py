"""`planspec verify` as a whole process, beside importing what it cannot do without.

Method: the two commands in turn, `--rounds` pairs after one warm-up; medians of wall-clock seconds and of the
ratios pair by pair. Both find compiled bytecode, as installed programs do.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from planspec.api.catalog import Catalog

IMPORTS = [sys.executable, "-c", "import typer, pydantic, yaml, lark"]


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """The wall-clock time of a process that succeeds."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - begun


def main() -> None:
    """Print both medians and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    answer = Catalog().suite("worldtravel-berlin").tasks[0].parent / "answers" / "demo-pass.json"
    verify = [sys.executable, "-m", "planspec", "verify", str(answer)]
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = bytecode
        pairs = [(seconds(verify, environment), seconds(IMPORTS, environment)) for _ in range(rounds + 1)][1:]
    a, b = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(x / y for x, y in pairs)
    print(
        f"planspec verify {a:.3f} s, imports alone {b:.3f} s, ratio {ratio:.2f} (limit 2); load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
