"""Workers, wherever they are: what the engine asks of a pool of them, and what each does with a chunk of work."""

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
    """A piece took longer than its deadline allows, and its worker was ended.

    Attributes:
        seconds: of wall-clock time that the piece had.
    """

    exit_code = 3

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it was ended after {seconds:.0f} s, as it did not end by itself")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class RayCluster:
    """A Ray cluster as the place where work is done.

    Its nodes need the same planspec and the same solvers, and see the same files under the same paths.

    Attributes:
        address: of the head node, `HOST:PORT`; `auto` takes the cluster that RAY_ADDRESS names or that runs on this
            machine, and without one begins a cluster of this machine alone for as long as it is needed.
    """

    address: str = "auto"


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a piece."""

    value: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception that a piece raised."""

    error: Exception


Outcome: TypeAlias = Done | Raised


@dataclass(frozen=True, slots=True)
class Reply:
    """A worker's reply to a chunk.

    Attributes:
        outcomes: of the chunk's pieces in order, up to the first that raised where that ends the work.
        seconds: of wall-clock time that they took.
    """

    outcomes: Sequence[Outcome]
    seconds: float


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a worker that was at a chunk, or that waited.

    Attributes:
        reason: a sentence for people.
        status: status of its process, where that is known.
        blameless: the chunk has no part in it: the whole machine was lost.
    """

    reason: str
    status: int | None = None
    blameless: bool = False


class Started:
    """A worker is ready for its first chunk."""


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """What every worker of a pool is.

    Attributes:
        make: is called once in each worker, and returns what is done there with a piece.
        begin: is called in each worker before.
        stop: a piece that raises ends the work, so that the rest of its chunk need not be done.
        plain: results come back as JSON, for work that runs programs which nobody vouches for: what they leave behind
            in a worker must not be unpickled.
    """

    make: Callable[[], Callable[[Any], Any]]
    begin: Callable[[], None] | None = None
    stop: bool = True
    plain: bool = False

    def read(self, frame: bytes) -> Reply | None:
        """The reply that a worker sent; None if it is none."""
        if not self.plain:
            reply: Reply = pickle.loads(frame)  # noqa: S301 written by `Diligence` in a process of ours
            return reply
        try:
            told = json.loads(frame)
            outcomes = [
                Raised(LostWorkerError(str(o["error"]))) if "error" in o else Done(o["value"])
                for o in told["outcomes"]
            ]
            return Reply(outcomes, float(told["seconds"]))
        except (ValueError, TypeError, KeyError):
            return None


class Diligence:
    """The work of one worker, chunk by chunk; what it makes for itself at the first it keeps."""

    def __init__(self, spec: WorkerSpec) -> None:
        self._spec = spec
        self._do: Callable[[Any], Any] | None = None

    def frame(self, chunk: Sequence[Any]) -> bytes:
        """The reply to a chunk, as bytes."""
        begun = time.monotonic()
        outcomes: list[Outcome] = []
        for piece in chunk:
            outcomes.append(self._outcome(piece))
            if self._spec.stop and isinstance(outcomes[-1], Raised):
                break
        return self._written(outcomes, time.monotonic() - begun)

    def _outcome(self, piece: Any) -> Outcome:
        try:
            if self._do is None:
                self._do = self._spec.make()
            return Done(self._do(piece))
        except SystemExit as left:
            return Raised(LostWorkerError(f"its process left with status {left.code}"))
        except Exception as error:  # noqa: BLE001 whatever a piece raises is its outcome
            error.add_note(f"In a worker:\n{traceback.format_exc()}")
            return Raised(error)

    def _written(self, outcomes: Sequence[Outcome], seconds: float) -> bytes:
        if self._spec.plain:
            told = [
                {"value": outcome.value} if isinstance(outcome, Done) else {"error": str(outcome.error)}
                for outcome in outcomes
            ]
            return json.dumps({"outcomes": told, "seconds": seconds}).encode("ascii")
        try:
            return pickle.dumps(Reply(outcomes, seconds), pickle.HIGHEST_PROTOCOL)
        except Exception:  # noqa: BLE001 an object may refuse in any way
            return pickle.dumps(Reply([_sendable(outcome) for outcome in outcomes], seconds))


def _sendable(outcome: Outcome) -> Outcome:
    """The outcome if it can be sent; else an error that says what it was."""
    try:
        pickle.loads(pickle.dumps(outcome))  # noqa: S301 written on this line
    except Exception as refusal:  # noqa: BLE001
        said = outcome.error if isinstance(outcome, Raised) else refusal
        return Raised(RuntimeError(f"{type(said).__name__}: {said}"))
    return outcome


class Worker(Protocol):
    """One of a pool's workers."""

    def ask(self, chunk: Sequence[Any]) -> None:
        """Send a chunk; it begins when those before it are done."""

    def answer(self) -> Reply | Started | Ended | None:
        """What came from a worker that is ready: the reply to its first chunk; None if nothing did yet."""

    def end(self) -> None:
        """End it, whatever it is at."""


class Pool(Protocol):
    """Workers of one kind."""

    @property
    def size(self) -> int:
        """How many workers there is room for at present."""

    def start(self) -> Worker:
        """A new worker; it takes chunks once it has said that it is ready."""

    def ready(self, workers: Collection[Any], seconds: float | None) -> Sequence[Any]:
        """Those of which something came, waiting for the first until the time is over."""

    def close(self) -> None:
        """End all of its workers."""
