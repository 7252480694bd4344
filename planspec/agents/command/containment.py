"""Containment of an agent's program: bubblewrap's namespaces decide which files, processes and networks it sees.

The program finds the system's folders, its interpreter and the files that its command line names, read-only, and a
working folder; a network, if it is to have one; and no other process. Everything else is not there.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeAlias, assert_never

from planspec.agents.command.run_folders import LargeTreeError, is_record, record_folders
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

_DATA = (".csv", ".db", ".gz", ".json", ".jsonl", ".sqlite", ".yaml", ".yml")
"""The ends of the names of files that may hold answers; a program in a hidden folder is seen if it is named."""

MountMode: TypeAlias = Literal["link", "read", "write", "empty", "hidden", "blank"]


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


class ExposedFolderError(PlanspecError, ValueError):
    """A folder that the program is to see is one that it must not see."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The place in which a program runs, with what it may see and do there.

    Attributes:
        folder: its own, which it may write to; None for an empty one at the path of the current folder.
        reads: files and folders that it sees beside the system's.
        network: it reaches the network of this machine.
        named: files and folders that its command line names, which it sees as well.
        hidden: folders and files that it must not see: those of suites, references, certificates, the run. The folders
            of all other runs are found.
    """

    folder: Path | None
    reads: tuple[Path, ...]
    network: bool
    named: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()

    def command(self, program: Path, words: Sequence[str]) -> list[str]:
        """The command line that runs a program in here.

        Args:
            program: the executable of the words' first.
            words: the program's own command line.

        Raises:
            ExposedFolderError: what it is to see is hidden.
        """
        made = ["/bin/sh", "-c", _OUTSIDE, "sh", shutil.which("bwrap") or "bwrap", *_APART]
        made += ["--share-net"] if self.network else []
        ways = self._ways(program)
        for path, way in sorted(ways.items(), key=lambda item: len(item[0].parts)):
            above = next((ways[parent] for parent in path.parents if parent in ways), None)
            if above not in (None, "empty", "hidden") and way not in ("write", "hidden", "blank"):
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
                case "blank":
                    made += ["--ro-bind", os.devnull, str(path)]
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
        programs = {_absolute(path) for path in self.named if path.is_file() and path.suffix not in _DATA}
        for path in own:
            if _is_exposed(path, hidden, program=path in programs):
                raise ExposedFolderError(f"`{path}` holds what the program must not see, or lies in it")
        ways |= own
        masks: dict[Path, MountMode] = {}
        for path in (path for path, way in ways.items() if way != "link"):
            real = Path(os.path.realpath(path))
            for secret in hidden:
                if real in secret.parents and secret.exists():
                    masks[path / secret.relative_to(real)] = "hidden" if secret.is_dir() else "blank"
        for path in (path for path in own if path.is_dir()):
            try:
                masks |= dict.fromkeys(record_folders(path), "hidden")
            except LargeTreeError as error:
                raise ExposedFolderError(str(error)) from None
        if any(masks.get(path) for path in own if path not in programs):
            raise ExposedFolderError(
                f"the folder `{next(path for path in own if path in masks)}` holds records of runs"
            )
        masks = {path: way for path, way in masks.items() if masks.keys().isdisjoint(path.parents)}
        place: dict[Path, MountMode] = {self._place: "empty"}
        return place | masks | ways | self._pins(masks)

    def _pins(self, masks: Iterable[Path]) -> dict[Path, MountMode]:
        """The folders between the program's own and what is hidden in it: mounted, none can be given another name."""
        if self.folder is None:
            return {}
        return {parent: "write" for path in masks for parent in path.parents if self._place in parent.parents}


def _is_exposed(path: Path, hidden: set[Path], *, program: bool) -> bool:
    """Whether a file or folder is hidden, or is a part of what is; a program may lie beside tasks, not among records."""
    real = Path(os.path.realpath(path))
    if real in hidden or any(is_record(folder) for folder in (real, *real.parents)):
        return True
    return not program and not hidden.isdisjoint(real.parents)


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
