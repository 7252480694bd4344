"""Parent process of a program without a sandbox. It kills every process that the program started.

This file is run by its path, without loading planspec. Its arguments are the descriptor of a pipe from the caller, and
the program with its arguments. When the program ends or the pipe closes, all descendants of the program are killed. On
Linux this process adopts orphaned descendants, so that it finds them.
"""

import ctypes
import os
import select
import signal
import sys
from collections.abc import Iterator

START_FAILURE = "cannot be started: "
"""Prefix of the message on standard error if the program cannot be started."""
_SET_CHILD_SUBREAPER = 36
_TICK_S = 0.05


def main() -> int:
    """Run the program, and kill its descendants after its end.

    Returns:
        The program's exit status, or 128 plus the number of the signal that ended it.
    """
    descriptor, words = int(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _adopt_orphans()
    program = os.fork()
    if not program:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.close(descriptor)
        try:
            os.execvp(words[0], words)  # noqa: S606 deliberately without a shell
        except OSError as error:
            os.write(2, f"{START_FAILURE}{error.strerror}\n".encode())
        os._exit(127)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # the caller then notices when the program closes these streams
        os.dup2(null, stream)
    status = _wait(program, descriptor)
    if status is None:
        os.kill(program, signal.SIGKILL)
    if os.path.isdir("/proc/self"):
        _end_descendants()
    ended_by = signal.SIGKILL if status is None else os.WTERMSIG(status)
    return 128 + ended_by if status is None or os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _adopt_orphans() -> None:
    setting = getattr(ctypes.CDLL(None), "prctl", None)
    if setting is not None:
        setting(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wait(program: int, descriptor: int) -> int | None:
    """Wait for the program. Return its wait status, or None if the descriptor closed first."""
    watched, tick = [descriptor], None
    try:
        watched.append(os.pidfd_open(program))
    except (AttributeError, OSError):  # not Linux, or an old kernel
        tick = _TICK_S
    while True:
        readable = select.select(watched, [], [], tick)[0]
        if descriptor in readable:
            return None
        ended, status = os.waitpid(program, os.WNOHANG)
        if ended:
            return status


def _end_descendants() -> None:
    """Kill all descendants, generation by generation."""
    while True:
        for child in _children():
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> Iterator[int]:
    me = str(os.getpid())
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as opened:
                fields = opened.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == me:
            yield int(name)


if __name__ == "__main__":
    os._exit(main())
