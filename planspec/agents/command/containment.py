"""Sandbox for agents' programs: bubblewrap restricts which files, processes and networks they see.

The program sees the system's folders, its interpreter and the files in its command line (all read-only), a
working folder and, if allowed, the network. It sees no other process and no other file.
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
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/opt",
    "/sbin",
    "/usr",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl",
    "/etc/timezone",
)
"""System folders that programs need. Missing ones are skipped."""
VARIABLES = ("ASDF_", "LANG", "LC_", "PATH", "PYENV_", "TERM", "TZ")
"""Prefixes of environment variables that describe the system and hold no secret."""
_INSTALLATION_PARTS = ("bin", "include", "lib", "lib64", "libexec", "pyvenv.cfg")
"""Parts of an interpreter's installation folder that the interpreter loads."""
_ISOLATION = (
    "--unshare-all",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--tmpfs",
    "/tmp",  # noqa: S108 the program's own /tmp
)
_OUTSIDE, _INSIDE = 'exec "$@" 3>&1 >/dev/null', 'exec "$@" >&3 3>&-'
"""Shell redirections that leave standard output open only in the program.

An end of file thus means that the program has closed its standard output.
"""
_TRIAL_S = 10.0

_DATA_SUFFIXES = (".csv", ".db", ".gz", ".json", ".jsonl", ".sqlite", ".yaml", ".yml")
"""Suffixes of files that may hold answers.

Files named in the command line stay visible in a hidden folder, except files with these suffixes.
"""

MountMode: TypeAlias = Literal["link", "read", "write", "empty", "hidden", "blank"]


@functools.cache
def why_unavailable() -> str | None:
    """Return the reason why no sandbox is available on this machine; None if there is one."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap (`bwrap`) is not installed"
    try:
        trial = subprocess.run(
            [program, *_ISOLATION, "--ro-bind", "/", "/", "true"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_TRIAL_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap cannot be run: {error}"
    errors = trial.stderr.strip().splitlines()
    return None if trial.returncode == 0 else f"bubblewrap fails: {errors[-1] if errors else trial.returncode}"


def plain_environment() -> dict[str, str]:
    """Return the environment variables that every program gets."""
    return {name: value for name, value in os.environ.items() if name.startswith(VARIABLES)}


class ExposedFolderError(PlanspecError, ValueError):
    """The program needs a file or folder that must be hidden from it."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The sandbox of a program: the files, folders and network that the program sees.

    Attributes:
        folder: folder that the program may write to. If None, the working folder appears empty.
        reads: files and folders that it sees besides those of the system.
        network: whether it can use the network of this machine.
        named: files and folders named in the command line, which the program also sees.
        hidden: folders and files that it must not see: suites, references, certificates, the run. Folders of other
            runs are always hidden and need not be listed.
    """

    folder: Path | None
    reads: tuple[Path, ...]
    network: bool
    named: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()

    def command(self, program: Path, words: Sequence[str]) -> list[str]:
        """Return the command line that runs a program in this sandbox.

        Args:
            program: path of the executable.
            words: command line of the program, beginning with the executable.

        Raises:
            ExposedFolderError: the program needs a path that must be hidden from it.
        """
        arguments = ["/bin/sh", "-c", _OUTSIDE, "sh", shutil.which("bwrap") or "bwrap", *_ISOLATION]
        arguments += ["--share-net"] if self.network else []
        mounts = self._mounts(program)
        for path, mode in sorted(mounts.items(), key=lambda item: len(item[0].parts)):
            above = next((mounts[parent] for parent in path.parents if parent in mounts), None)
            if above not in (None, "empty", "hidden") and mode not in ("write", "hidden", "blank"):
                continue  # the mount of a parent folder includes the path
            match mode:
                case "link":
                    arguments += ["--symlink", str(path.readlink()), str(path)]
                case "read":
                    arguments += ["--ro-bind", str(path), str(path)]
                case "write":
                    arguments += ["--bind", str(path), str(path)]
                case "empty":
                    arguments += ["--dir", str(path)]
                case "hidden":
                    arguments += ["--tmpfs", str(path)]
                case "blank":
                    arguments += ["--ro-bind", os.devnull, str(path)]
                case unreachable:
                    assert_never(unreachable)
        for path in (path for path, mode in mounts.items() if mode == "hidden"):
            arguments += ["--remount-ro", str(path)]  # mounts inside the path must come first
        return [
            *arguments,
            "--chdir",
            str(self._working_folder),
            "--",
            "/bin/sh",
            "-c",
            _INSIDE,
            "sh",
            *words,
        ]

    @property
    def _working_folder(self) -> Path:
        return _absolute(self.folder or Path.cwd())

    def _mounts(self, program: Path) -> dict[Path, MountMode]:
        """Return how to mount each visible path. A path is mounted over the folder that contains it."""
        mounts: dict[Path, MountMode] = {
            path: "link" if path.is_symlink() else "read"
            for path in (*map(Path, SYSTEM), *_required_files(program))
            if path.exists()
        }
        own: dict[Path, MountMode] = {_absolute(path): "read" for path in (*self.reads, *self.named)}
        if self.folder is not None:
            own[self._working_folder] = "write"
        hidden = {Path(os.path.realpath(path)) for path in (*self.hidden, shipped_tasks_folder())}
        programs = {_absolute(path) for path in self.named if path.is_file() and path.suffix not in _DATA_SUFFIXES}
        for path in own:
            if _is_exposed(path, hidden, is_program=path in programs):
                raise ExposedFolderError(f"`{path}` holds what the program must not see, or lies in it")
        mounts |= own
        masks: dict[Path, MountMode] = {}
        for path in (path for path, mode in mounts.items() if mode != "link"):
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
        masks = {path: mode for path, mode in masks.items() if masks.keys().isdisjoint(path.parents)}
        base: dict[Path, MountMode] = {self._working_folder: "empty"}
        return base | masks | mounts | self._pinned_folders(masks)

    def _pinned_folders(self, masks: Iterable[Path]) -> dict[Path, MountMode]:
        """Return mounts of all folders between the working folder and a hidden path.

        Mounted folders cannot be renamed. The program thus cannot reveal the hidden path by renaming a folder above it.
        """
        if self.folder is None:
            return {}
        return {parent: "write" for path in masks for parent in path.parents if self._working_folder in parent.parents}


def _is_exposed(path: Path, hidden: set[Path], *, is_program: bool) -> bool:
    """Return whether a path, or a folder that contains it, is hidden.

    An executable may be in a hidden folder, for example beside the tasks, but not in the folder of a run.
    """
    real = Path(os.path.realpath(path))
    if real in hidden or any(is_record(folder) for folder in (real, *real.parents)):
        return True
    return not is_program and not hidden.isdisjoint(real.parents)


def shipped_tasks_folder() -> Path:
    """Return the folder of the tasks that ship with planspec."""
    return Path(str(files("planspec.tasks")))


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 keep links: the program sees them too


def _required_files(program: Path) -> Iterator[Path]:
    """Yield the paths that an executable needs: symbolic links to it, its installation, and its interpreter."""
    seen: set[Path] = set()
    pending = [_absolute(program), Path(os.path.realpath(program))]
    while pending:
        path = pending.pop()
        if path in seen or not path.exists():
            continue
        seen.add(path)
        prefix = path.parent.parent
        if path.parent.name == "bin" and (prefix / "lib").is_dir():
            yield from (prefix / part for part in _INSTALLATION_PARTS)
        elif path.parent.name == "shims":  # pyenv and similar tools select a version at run time
            yield prefix
        else:
            yield path
        if path.is_symlink():
            pending.append(Path(os.path.normpath(path.parent / path.readlink())))
        else:
            pending += _interpreters(path)


def _interpreters(path: Path) -> list[Path]:
    """Return the paths of the interpreter in a script's first line, as written and with links resolved."""
    try:
        with path.open("rb") as opened:
            first = opened.readline(1024)
    except OSError:
        return []
    words = first[2:].split() if first.startswith(b"#!") else []
    if words and words[0].endswith(b"/env") and len(words) > 1:
        executable = shutil.which(os.fsdecode(words[-1]))
        return [Path(executable)] if executable else []
    named = Path(os.fsdecode(words[0])) if words else None
    return [named, Path(os.path.realpath(named))] if named else []
