"""The parent of a program that is not contained: it ends all that the program started, whatever that has become.

It is run by its path, so that nothing of planspec is loaded. Its arguments are a descriptor, whose other end is held by
the one that asks, and the program with its arguments. When the program ends, or the descriptor does, everything that
descends from it is killed: orphans come to this process, since it has said that it takes them (Linux).
"""

import ctypes
import os
import select
import signal
import sys
from collections.abc import Iterator

CANNOT = "cannot be started: "
"""The beginning of standard error if the program cannot be started."""
_SET_CHILD_SUBREAPER = 36
_TICK_S = 0.05


def main() -> int:
    """Run the program.

    Returns:
        Its exit status; 128 and the signal that ended it.
    """
    descriptor, words = int(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _take_orphans()
    program = os.fork()
    if not program:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.close(descriptor)
        try:
            os.execvp(words[0], words)  # noqa: S606 no shell is wanted
        except OSError as error:
            os.write(2, f"{CANNOT}{error.strerror}\n".encode())
        os._exit(127)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):  # the program alone holds its streams, so that their ends are seen
        os.dup2(nowhere, stream)
    status = _until(program, descriptor)
    if status is None:
        os.kill(program, signal.SIGKILL)
    if os.path.isdir("/proc/self"):
        _end_descendants()
    ended_by = signal.SIGKILL if status is None else os.WTERMSIG(status)
    return 128 + ended_by if status is None or os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _take_orphans() -> None:
    setting = getattr(ctypes.CDLL(None), "prctl", None)
    if setting is not None:
        setting(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _until(program: int, descriptor: int) -> int | None:
    """Wait for the program; its status, or None if it is to be ended."""
    watched, tick = [descriptor], None
    try:
        watched.append(os.pidfd_open(program))
    except (AttributeError, OSError):  # not Linux, or an old one
        tick = _TICK_S
    while True:
        readable = select.select(watched, [], [], tick)[0]
        if descriptor in readable:
            return None
        ended, status = os.waitpid(program, os.WNOHANG)
        if ended:
            return status


def _end_descendants() -> None:
    """Kill what descends from here, generation after generation, until nothing does."""
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
