"""Check of a wheel in new environments: `bare.py WHEEL [EXTRA...]`.

For each extra, the program installs the wheel, runs the README's first commands, and prints the size of the installed
packages. Without an argument EXTRA, it takes the plain installation and the extras of `EXTRAS`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

EXTRAS = ("", "solve", "proofs", "mcp", "inspect", "parquet", "site")
ANSWERS = Path("tasks/worldtravel/answers")
COMMANDS = {
    "": (("tasks", "list", "examples"), ("check", "sudoku"), ("verify", str(ANSWERS / "demo-pass.json"))),
    "solve": (("validate", "berlin-001"), ("solve", "sudoku")),
}
"""Commands of planspec that must succeed, by the extra that they need. The commands under `""` run with every extra."""
HEAVIEST = 5
MEGABYTE = 1_000_000


def main(wheel: Path, extras: Sequence[str]) -> int:
    """Print a table with a row for each extra; return 1 if a command failed."""
    failed = 0
    sys.stdout.write("| extra | MB | heaviest packages (MB) |\n|---|--:|---|\n")
    for extra in extras or EXTRAS:
        with tempfile.TemporaryDirectory() as folder:
            packages = installed_packages(Path(folder), wheel, extra)
            failed += sum(run(Path(folder), command) for command in commands_with(extra))
        total = sum(packages.values())
        heaviest = sorted(packages.items(), key=lambda each: -each[1])[:HEAVIEST]
        names = ", ".join(f"{name} {size / MEGABYTE:.0f}" for name, size in heaviest)
        sys.stdout.write(f"| {f'`[{extra}]`' if extra else 'none'} | {total / MEGABYTE:.0f} | {names} |\n")
        sys.stdout.flush()
    return int(failed > 0)


def commands_with(extra: str) -> Iterator[Sequence[str]]:
    """Yield the commands that must succeed in the environment of an extra."""
    yield from COMMANDS[""]
    if extra:
        yield from COMMANDS.get(extra, ())


def installed_packages(folder: Path, wheel: Path, extra: str) -> dict[str, int]:
    """Install the wheel in a new environment; return the size in bytes of each package in it, without pip."""
    venv.create(folder, with_pip=True)
    target = f"{wheel}[{extra}]" if extra else str(wheel)
    install = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", target]
    subprocess.run(install, check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    sizes = {
        path.name: sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        for path in site.iterdir()
        if path.is_dir() and not path.name.endswith((".dist-info", "__pycache__"))
    }
    return {name: size for name, size in sizes.items() if name not in {"pip", "setuptools", "_distutils_hack"}}


def run(folder: Path, command: Sequence[str]) -> bool:
    """Run a command of planspec, and return whether it failed. Output of a failed command goes to standard error."""
    done = subprocess.run([str(folder / "bin" / "planspec"), *command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(f"planspec {' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
