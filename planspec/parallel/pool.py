"""Workers: protocols for pools and workers, and the processing of a chunk of work."""

from __future__ import annotations

import json
import pickle
import time
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from planspec.errors import LostWorkerError, PlanspecError


class DeadlineExceededError(PlanspecError):
    """A piece of work exceeded its deadline, and its worker was killed.

    Attributes:
        seconds: wall-clock time spent on the piece.
    """

    exit_code = 3

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it was ended after {seconds:.0f} s, as it did not end by itself")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class RayCluster:
    """A Ray cluster on which work is done.

    All nodes need the same versions of planspec and of the solvers, and the same files at the same paths.

    Attributes:
        address: address of the head node, `HOST:PORT`. `auto` uses the cluster in RAY_ADDRESS or on this machine;
            without one, it starts a temporary cluster on this machine.
    """

    address: str = "auto"


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a piece of work."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception that a piece of work raised."""

    error: Exception


Outcome: TypeAlias = Done | Raised


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """A worker's reply to a chunk.

    Attributes:
        outcomes: outcomes of the pieces in order. If exceptions end the work, the first exception is the last outcome.
        seconds: wall-clock time for these pieces.
    """

    outcomes: Sequence[Outcome]
    seconds: float


@dataclass(frozen=True, slots=True)
class Ended:
    """Message: a worker, busy or idle, has ended.

    Attributes:
        reason: reason as a sentence for users.
        status: exit status of the worker's process; None if unknown.
        blameless: whether its chunk cannot be the cause, because the whole node was lost.
    """

    reason: str
    status: int | None = None
    blameless: bool = False


class Started:
    """Message: a worker is ready for its first chunk."""


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """Specification of the workers of a pool.

    Attributes:
        make: called once in each worker. It returns the function to apply to pieces.
        begin: called in each worker before `make`.
        stop: whether an exception ends the work. Later pieces of the chunk are then skipped.
        plain: whether results are sent as JSON. Results of a worker that runs untrusted programs must not be unpickled,
            because the programs may have manipulated the worker.
    """

    make: Callable[[], Callable[[Any], Any]]
    begin: Callable[[], None] | None = None
    stop: bool = True
    plain: bool = False

    def read(self, frame: bytes) -> WorkerReply | None:
        """Decode a worker's reply. Return None if it is malformed."""
        if not self.plain:
            reply: WorkerReply = pickle.loads(frame)  # noqa: S301 written by `ChunkRunner` in our own process
            return reply
        try:
            data = json.loads(frame)
            outcomes = [
                Raised(LostWorkerError(str(o["error"]))) if "error" in o else Done(o["value"]) for o in data["outcomes"]
            ]
            return WorkerReply(outcomes, float(data["seconds"]))
        except (ValueError, TypeError, KeyError):
            return None


class ChunkRunner:
    """Processing of chunks in a worker, by the function that `WorkerSpec.make` returns."""

    def __init__(self, spec: WorkerSpec) -> None:
        self._spec = spec
        self._do: Callable[[Any], Any] | None = None

    def frame(self, chunk: Sequence[Any]) -> bytes:
        """Process a chunk, and return the encoded reply."""
        begun = time.monotonic()
        outcomes: list[Outcome] = []
        for piece in chunk:
            outcomes.append(self._outcome(piece))
            if self._spec.stop and isinstance(outcomes[-1], Raised):
                break
        return self._encode(outcomes, time.monotonic() - begun)

    def _outcome(self, piece: Any) -> Outcome:
        try:
            if self._do is None:
                self._do = self._spec.make()
            return Done(self._do(piece))
        except SystemExit as left:
            return Raised(LostWorkerError(f"its process left with status {left.code}"))
        except Exception as error:  # noqa: BLE001 any exception of a piece is its outcome
            error.add_note(f"In a worker:\n{traceback.format_exc()}")
            return Raised(error)

    def _encode(self, outcomes: Sequence[Outcome], seconds: float) -> bytes:
        if self._spec.plain:
            encoded = [
                {"value": outcome.value} if isinstance(outcome, Done) else {"error": str(outcome.error)}
                for outcome in outcomes
            ]
            return json.dumps({"outcomes": encoded, "seconds": seconds}).encode("ascii")
        try:
            return pickle.dumps(WorkerReply(outcomes, seconds), pickle.HIGHEST_PROTOCOL)
        except Exception:  # noqa: BLE001 pickling can fail in any way
            return pickle.dumps(WorkerReply([_make_picklable(outcome) for outcome in outcomes], seconds))


def _make_picklable(outcome: Outcome) -> Outcome:
    """Return the outcome if it can be pickled, otherwise an error that describes it."""
    try:
        pickle.loads(pickle.dumps(outcome))  # noqa: S301 written on this line
    except Exception as error:  # noqa: BLE001
        cause = outcome.error if isinstance(outcome, Raised) else error
        return Raised(RuntimeError(f"{type(cause).__name__}: {cause}"))
    return outcome


class PoolWorker(Protocol):
    """A worker of a pool."""

    def send(self, chunk: Sequence[Any]) -> None:
        """Send a chunk, which starts when earlier ones are done."""

    def receive(self) -> WorkerReply | Started | Ended | None:
        """Return the worker's next message, such as a reply; None if there is none yet."""

    def end(self) -> None:
        """Kill the worker."""


class Pool(Protocol):
    """A pool of workers of the same kind."""

    @property
    def size(self) -> int:
        """Current maximum number of workers."""

    def start(self) -> PoolWorker:
        """Start a worker. It can process chunks once it reports that it is ready."""

    def ready(self, workers: Collection[Any], seconds: float | None) -> Sequence[Any]:
        """Return the workers that have a message. Wait for the first one at most `seconds`, or forever if None."""

    def close(self) -> None:
        """Kill all workers."""
