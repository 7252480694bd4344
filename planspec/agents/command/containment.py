"""Containment of an agent's program: bubblewrap's namespaces decide which files, processes and networks it sees.

The program finds the system's folders, its interpreter and the files that its command line names, read-only, and a
working folder; a network, if it is to have one; and no other process. Everything else is not there.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeAlias, assert_never

from planspec.errors import PlanspecError

SYSTEM = (
    "/bin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/opt", "/sbin", "/usr", "/etc/alternatives",
    "/etc/ca-certificates", "/etc/fonts", "/etc/gai.conf", "/etc/group", "/etc/host.conf", "/etc/hosts",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/nsswitch.conf",
    "/etc/os-release", "/etc/passwd", "/etc/pki", "/etc/protocols", "/etc/resolv.conf", "/etc/services", "/etc/ssl",
    "/etc/timezone",
)  # fmt: skip
"""The folders of the system that programs need, where they exist."""
VARIABLES = ("ASDF_", "LANG", "LC_", "PATH", "PYENV_", "TERM", "TZ")
"""The prefixes of environment variables that describe the system and hold no secret."""
_ENVIRONMENT = ("bin", "include", "lib", "lib64", "libexec", "pyvenv.cfg")
"""The parts of a folder in which an interpreter is installed with what it loads."""
_APART = (
    "--unshare-all", "--cap-drop", "ALL", "--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",  # noqa: S108 the one that the program sees
)  # fmt: skip
_OUTSIDE, _INSIDE = 'exec "$@" 3>&1 >/dev/null', 'exec "$@" >&3 3>&-'
"""The program alone holds its standard output, so that its end is seen: bubblewrap keeps what is its own."""
_TRIAL_S = 10.0

MountMode: TypeAlias = Literal["link", "read", "write", "empty", "hidden"]


@functools.cache
def unavailable() -> str | None:
    """Why no program can be contained here; None where it can."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap (`bwrap`) is not installed"
    try:
        tried = subprocess.run(
            [program, *_APART, "--ro-bind", "/", "/", "true"],
            capture_output=True, text=True, check=False, timeout=_TRIAL_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be run: {error}"
    said = tried.stderr.strip().splitlines()
    return None if tried.returncode == 0 else f"bubblewrap fails: {said[-1] if said else tried.returncode}"


def plain_environment() -> dict[str, str]:
    """The variables of planspec's environment that every program has."""
    return {name: value for name, value in os.environ.items() if name.startswith(VARIABLES)}


class Exposed(PlanspecError, ValueError):
    """A folder that the program is to see is one that it must not see."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The place in which a program runs, with what it may see and do there.

    Attributes:
        folder: its own, which it may write to; None for an empty one at the path of the current folder.
        reads: files and folders that it sees beside the system's; none of them is in a hidden folder, or a part of a run.
        network: it reaches the network of this machine.
        hidden: folders that it must not see: those of suites, references, certificates, the own run. The folders of other
            runs in what it sees are hidden, too.
        named: files of its command line, such as its own code.
    """

    folder: Path | None
    reads: tuple[Path, ...]
    network: bool
    hidden: tuple[Path, ...] = ()
    named: tuple[Path, ...] = ()

    def command(self, program: Path, words: Sequence[str]) -> list[str]:
        """The command line that runs a program in here.

        Args:
            program: the executable of the words' first.
            words: the program's own command line.

        Raises:
            Exposed: what it is to see is hidden.
        """
        made = ["/bin/sh", "-c", _OUTSIDE, "sh", shutil.which("bwrap") or "bwrap", *_APART]
        made += ["--share-net"] if self.network else []
        ways = self._ways(program)
        for path, way in sorted(ways.items(), key=lambda item: len(item[0].parts)):
            above = next((ways[parent] for parent in path.parents if parent in ways), None)
            if above not in (None, "empty", "hidden") and way not in ("write", "hidden"):
                continue  # it is there with the folder that it lies in
            match way:
                case "link":
                    made += ["--symlink", str(path.readlink()), str(path)]
                case "read":
                    made += ["--ro-bind", str(path), str(path)]
                case "write":
                    made += ["--bind", str(path), str(path)]
                case "empty":
                    made += ["--dir", str(path)]
                case "hidden":
                    made += ["--tmpfs", str(path)]
                case unreachable:
                    assert_never(unreachable)
        for path in (path for path, way in ways.items() if way == "hidden"):
            made += ["--remount-ro", str(path)]  # at the end: what lies deeper has its place by now
        return [*made, "--chdir", str(self._place), "--", "/bin/sh", "-c", _INSIDE, "sh", *words]

    @property
    def _place(self) -> Path:
        return _absolute(self.folder or Path.cwd())

    def _ways(self, program: Path) -> dict[Path, MountMode]:
        """Each visible path and how it is mounted; deeper paths are laid over those above them."""
        ways: dict[Path, MountMode] = {
            path: "link" if path.is_symlink() else "read"
            for path in (*map(Path, SYSTEM), *_needed(program))
            if path.exists()
        }
        own: dict[Path, MountMode] = {_absolute(path): "read" for path in (*self.reads, *self.named)}
        if self.folder is not None:
            own[self._place] = "write"
        hidden = {Path(os.path.realpath(path)) for path in (*self.hidden, shipped())}
        asked = {_absolute(path) for path in self.reads}
        for path in own:
            real = Path(os.path.realpath(path))
            above = real.parents if path in asked else ()
            if hidden & {real, *above} or any(_is_record(each) for each in (real, *above)):
                raise Exposed(f"the folder `{path}` holds what the program must not see")
            hidden |= _records(real, hidden)
        ways |= own
        masks: dict[Path, MountMode] = {}
        for path, real in (
            (path, Path(os.path.realpath(path))) for path, way in ways.items() if way != "link"
        ):
            for secret in hidden:
                if secret.is_dir() and real in secret.parents:
                    masks[path / secret.relative_to(real)] = "hidden"
        place: dict[Path, MountMode] = {self._place: "empty"}
        return place | masks | ways


RECORDS = ("run.json", "attempts.jsonl", "planspec-copies.json")
"""Files by which a folder is known to be that of a run, or of copies of a run's suite."""
MOST_FOLDERS = 200_000
"""The most folders in which records of runs are looked for."""


def _is_record(folder: Path) -> bool:
    return any((folder / name).is_file() for name in RECORDS)


def _records(root: Path, hidden: AbstractSet[Path]) -> set[Path]:
    """The folders of runs in a tree that the program is to see, whichever runs they are.

    Args:
        root: the tree; links in it are not followed.
        hidden: folders that are hidden already, and not looked through.

    Raises:
        Exposed: there are too many folders to look through.
    """
    found: set[Path] = set()
    left, count = [root], 0
    while left:
        folder = left.pop()
        count += 1
        if count > MOST_FOLDERS:
            raise Exposed(
                f"the folder `{root}` has more than {MOST_FOLDERS:,} folders in it, too many to look for records of runs: name a smaller one"
            )
        try:
            with os.scandir(folder) as entries:
                inside = list(entries)
        except OSError:  # no folder, or nobody may read it: the program sees no more
            continue
        if any(entry.name in RECORDS for entry in inside):
            found.add(folder)
            continue
        left += [
            path
            for entry in inside
            if entry.is_dir(follow_symlinks=False) and (path := folder / entry.name) not in hidden
        ]
    return found


def shipped() -> Path:
    """The folder of the tasks that ship with planspec."""
    return Path(str(files("planspec.tasks")))


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 links are what the program sees, too


def _needed(program: Path) -> Iterator[Path]:
    """The files that an executable needs: each link on the way to it, its installation, and its interpreter."""
    seen: set[Path] = set()
    left = [_absolute(program), Path(os.path.realpath(program))]
    while left:
        path = left.pop()
        if path in seen or not path.exists():
            continue
        seen.add(path)
        prefix = path.parent.parent
        if path.parent.name == "bin" and (prefix / "lib").is_dir():
            yield from (prefix / part for part in _ENVIRONMENT)
        elif path.parent.name == "shims":  # of pyenv and its like, which choose a version when they are run
            yield prefix
        else:
            yield path
        if path.is_symlink():
            left.append(Path(os.path.normpath(path.parent / path.readlink())))
        else:
            left += _interpreter(path)


def _interpreter(path: Path) -> list[Path]:
    """The interpreter that a script names in its first line."""
    try:
        with path.open("rb") as opened:
            first = opened.readline(1024)
    except OSError:
        return []
    words = first[2:].split() if first.startswith(b"#!") else []
    if words and words[0].endswith(b"/env") and len(words) > 1:
        found = shutil.which(os.fsdecode(words[-1]))
        return [Path(found)] if found else []
    named = Path(os.fsdecode(words[0])) if words else None
    return [named, Path(os.path.realpath(named))] if named else []
