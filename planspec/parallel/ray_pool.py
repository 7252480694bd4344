"""Workers that are actors of a Ray cluster, each with its own processor."""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import socket
import sys
import time
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from planspec.errors import UnsuitableClusterError
from planspec.extras import needing
from planspec.parallel.pool import ChunkRunner, Ended, RayCluster, Started, WorkerReply, WorkerSpec

PACKAGES = ("ortools", "pydantic", "z3-solver")
"""Packages besides planspec on which results depend."""
ENVIRONMENT = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS")
"""Environment variables that affect output texts. Variables that begin with PLANSPEC_ are added."""
STARTING = 300.0
"""Seconds within which the first actor must start."""
REACHED = 10.0
"""Seconds within which the head node must accept a connection."""
MODE = "RAY_AUTH_MODE"
"""Environment variable that makes Ray send its token to a given address, which it does not do by default."""
FRESH = 2.0
"""Seconds for which the size of the cluster is cached."""


@dataclass(frozen=True, slots=True)
class DriverContext:
    """Properties of the process that uses the cluster (the driver). They must be the same on every node.

    Attributes:
        folder: current folder, to which paths are relative.
        environment: environment variables that affect output texts.
        versions: versions of planspec and of packages on which results depend.
    """

    folder: str
    environment: Mapping[str, str]
    versions: Mapping[str, str]

    @classmethod
    def current(cls) -> DriverContext:
        """Return the context of this process."""
        environment = {
            name: value for name, value in os.environ.items() if name in ENVIRONMENT or name.startswith("PLANSPEC_")
        }
        return cls(str(Path.cwd()), environment, _relevant_versions())

    def enter(self) -> None:
        """Apply the context to this process, on a node of the cluster.

        Raises:
            UnsuitableClusterError: the node has other versions or lacks the folder.
        """
        node = os.uname().nodename
        for name, installed in _relevant_versions().items():
            if self.versions[name] != installed:
                raise UnsuitableClusterError(
                    f"the node {node} has {name} {installed}, and here it is {self.versions[name]}"
                )
        try:
            os.chdir(self.folder)
        except OSError as error:
            raise UnsuitableClusterError(f"the node {node} has no folder `{self.folder}`: {error.strerror}") from None
        for name in (*ENVIRONMENT, *(name for name in os.environ if name.startswith("PLANSPEC_"))):
            os.environ.pop(name, None)
        os.environ.update(self.environment)


def _relevant_versions() -> dict[str, str]:
    """Return the versions on which results depend. That of planspec includes a hash of its code."""
    versions = {"planspec": f"{version('planspec')} ({_code_hash()})"}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def _code_hash() -> str:
    spec = find_spec("planspec")
    assert spec is not None and spec.origin is not None
    digest = hashlib.sha256()
    root = Path(spec.origin).parent
    for path in sorted(
        Path(folder, name)
        for folder, _, names in os.walk(root, followlinks=True)
        for name in names
        if name.endswith((".py", ".lark", ".j2"))
    ):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


class Actor:
    """A Ray actor that processes chunks."""

    def __init__(self, context: DriverContext, spec: WorkerSpec) -> None:
        context.enter()
        if spec.begin is not None:
            spec.begin()
        self._work = ChunkRunner(spec)

    def begin(self) -> None:
        """Return when the actor is ready."""

    def frame(self, chunk: bytes) -> bytes:
        """Process a chunk and return the encoded reply."""
        return self._work.frame(pickle.loads(chunk))  # noqa: S301 from the driver of this actor


class RayPool:
    """A pool of actors in a cluster, one for each processor.

    Args:
        cluster: the cluster.
        spec: specification of the workers.

    Raises:
        UnsuitableClusterError: the cluster cannot be reached.
        ModuleNotFoundError: Ray is not installed.
    """

    def __init__(self, cluster: RayCluster, spec: WorkerSpec) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        with needing("ray", "work on a Ray cluster needs an extra"):
            import ray
        self.ray: Any = ray
        self._own = not ray.is_initialized()
        if self._own:
            self._connect(cluster)
        _print_logs_on_stderr()
        self._context = ray.put(DriverContext.current())
        self._spec = spec
        self._actor = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Actor)
        self._workers: list[RayWorker] = []
        self._size, self._refreshed = 0, float("-inf")
        self._begun = time.monotonic()

    def _connect(self, cluster: RayCluster) -> None:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if cluster.address != "auto":
            _require_head(cluster.address)
        try:
            self.ray.init(address=cluster.address, **quiet)
        except self.ray.exceptions.AuthenticationError as error:
            raise UnsuitableClusterError(
                f"Ray cannot show a token to {cluster.address}: {_first_line(error)}"
            ) from None
        except ConnectionError as error:
            if cluster.address != "auto":
                token = "" if MODE in os.environ else f"; one that asks for a token needs {MODE}=token here"
                raise UnsuitableClusterError(f"no Ray cluster answers at {cluster.address}: {error}{token}") from None
            self.ray.init(address="local", include_dashboard=False, **quiet)

    @property
    def size(self) -> int:
        """Number of processors of the cluster, without those of lost nodes."""
        now = time.monotonic()
        if now - self._refreshed > FRESH:
            self._size, self._refreshed = int(self.ray.cluster_resources().get("CPU", 0)), now
        return self._size

    def start(self) -> RayWorker:
        """Create an actor, which starts when the cluster has capacity."""
        self._workers.append(worker := RayWorker(self, self._actor.remote(self._context, self._spec)))
        return worker

    def ready(self, workers: Collection[RayWorker], seconds: float | None) -> Sequence[RayWorker]:
        """Return the workers whose first pending call has ended."""
        by_call = {worker.calls[0]: worker for worker in workers if worker.calls}
        if not any(worker.began for worker in self._workers) and time.monotonic() - self._begun > STARTING:
            raise UnsuitableClusterError(f"no actor began within {STARTING:.0f} s: the cluster has no free processor")
        most = FRESH if seconds is None else min(seconds, FRESH)  # nodes may join or leave during the work
        if not by_call:
            time.sleep(most)
            return []
        done, _ = self.ray.wait(list(by_call), num_returns=1, timeout=most)
        if done:
            done, _ = self.ray.wait(list(by_call), num_returns=len(by_call), timeout=0)
        return [by_call[call] for call in done]

    def close(self) -> None:
        """Kill all actors, and disconnect from the cluster if this pool connected to it."""
        for worker in self._workers:
            worker.end()
        if self._own:
            self.ray.shutdown()


def _print_logs_on_stderr() -> None:
    """Print Ray's messages about lost nodes and actors to standard error. Standard output is for the result."""
    from ray._private import worker

    worker.print_to_stdstream = _print_log


def _print_log(data: Mapping[str, Any], ignore_prefix: bool = False) -> None:  # noqa: ARG001 the signature is Ray's
    for line in data.get("lines", ()):
        first, _, _ = str(line).partition("\n")
        sys.stderr.write(f"ray: {first[:300]}\n")


def _require_head(address: str) -> None:
    """Check that an address accepts connections, because Ray would retry for minutes.

    Raises:
        UnsuitableClusterError: the address is malformed or accepts no connection.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise UnsuitableClusterError(f"the address of a Ray cluster is HOST:PORT, not `{address}`")
    try:
        socket.create_connection((host, int(port)), REACHED).close()
    except OSError as error:
        raise UnsuitableClusterError(f"no Ray cluster answers at {address}: {error.strerror or error}") from None


class RayWorker:
    """An actor and its pending calls."""

    def __init__(self, pool: RayPool, actor: Any) -> None:
        self._pool, self._actor = pool, actor
        self.began = False
        self.calls: deque[Any] = deque([actor.begin.remote()])

    def send(self, chunk: Sequence[Any]) -> None:
        """Call the actor with a chunk of work."""
        self.calls.append(self._actor.frame.remote(pickle.dumps(chunk, pickle.HIGHEST_PROTOCOL)))

    def receive(self) -> WorkerReply | Started | Ended | None:
        """Return the result of the first pending call, or an `Ended` if the actor was lost.

        Raises:
            UnsuitableClusterError: its node has other versions or lacks the folder.
        """
        errors = self._pool.ray.exceptions
        try:
            result = self._pool.ray.get(self.calls.popleft())
        except errors.RayActorError as error:
            return _describe_loss(error)
        except errors.RayError as error:  # the result was lost with the actor's node
            return Ended(f"its node was lost: {_first_line(error)}", blameless=True)
        if not self.began:
            self.began = True
            return Started()
        return self._pool._spec.read(result) or Ended("its actor did not answer in JSON")

    def end(self) -> None:
        """Kill the actor."""
        with suppress(Exception):  # a lost actor cannot be killed
            self._pool.ray.kill(self._actor)


def _describe_loss(error: Any) -> Ended:
    """Return an `Ended` that tells whether the actor was lost alone or with its node.

    Raises:
        UnsuitableClusterError: its node has other versions or lacks the folder.
    """
    text = str(error)
    if isinstance(cause := getattr(error, "cause", None) or error.__cause__, UnsuitableClusterError):
        raise UnsuitableClusterError(str(cause)) from None
    if "UnsuitableClusterError" in text:
        raise UnsuitableClusterError(text.rpartition("UnsuitableClusterError: ")[2].splitlines()[0]) from None
    if "worker process has died" in text:
        return Ended("its actor's process ended, as where memory runs out")
    return Ended(f"its node was lost: {_first_line(error)}", blameless=True)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
