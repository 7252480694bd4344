"""Workers that are actors of a Ray cluster, each with a processor of its own."""

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
from planspec.parallel.pool import Diligence, Ended, RayCluster, Reply, Started, WorkerSpec

PACKAGES = ("ortools", "pydantic", "z3-solver")
"""Packages beside planspec on which results depend."""
ENVIRONMENT = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS")
"""Variables on which texts depend; those that begin with PLANSPEC_ come along, too."""
STARTING = 300.0
"""Seconds within which a first actor must begin."""
REACHED = 10.0
"""Seconds within which the head of a cluster must take a call."""
MODE = "RAY_AUTH_MODE"
"""The variable by which Ray is told to show its token, which it shows unasked to no address that it is given."""
FRESH = 2.0
"""Seconds for which the size of the cluster is believed."""


@dataclass(frozen=True, slots=True)
class Home:
    """What has to be the same on every node, as it is where the command runs.

    Attributes:
        folder: the current one, from which paths are relative.
        environment: variables on which texts depend.
        versions: of planspec and what results depend on.
    """

    folder: str
    environment: Mapping[str, str]
    versions: Mapping[str, str]

    @classmethod
    def here(cls) -> Home:
        """That of this process."""
        environment = {
            name: value
            for name, value in os.environ.items()
            if name in ENVIRONMENT or name.startswith("PLANSPEC_")
        }
        return cls(str(Path.cwd()), environment, _versions())

    def enter(self) -> None:
        """Make this process work as it does there.

        Raises:
            UnsuitableClusterError: it cannot.
        """
        node = os.uname().nodename
        for name, told in _versions().items():
            if self.versions[name] != told:
                raise UnsuitableClusterError(
                    f"the node {node} has {name} {told}, and here it is {self.versions[name]}"
                )
        try:
            os.chdir(self.folder)
        except OSError as error:
            raise UnsuitableClusterError(
                f"the node {node} has no folder `{self.folder}`: {error.strerror}"
            ) from None
        for name in (*ENVIRONMENT, *(name for name in os.environ if name.startswith("PLANSPEC_"))):
            os.environ.pop(name, None)
        os.environ.update(self.environment)


def _versions() -> dict[str, str]:
    """The versions of what results depend on; planspec's by its code, since a checkout changes under one version."""
    found = {"planspec": f"{version('planspec')} ({_code_hash()})"}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


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
    """The actor: it keeps what the work makes for itself, and does chunk after chunk."""

    def __init__(self, home: Home, spec: WorkerSpec) -> None:
        home.enter()
        if spec.begin is not None:
            spec.begin()
        self._work = Diligence(spec)

    def begin(self) -> None:
        """Answers when the actor is there."""

    def frame(self, chunk: bytes) -> bytes:
        """The reply to a chunk."""
        return self._work.frame(pickle.loads(chunk))  # noqa: S301 from the driver that began this actor


class RayPool:
    """The actors of a cluster, one for each of its processors.

    Args:
        cluster: which.
        spec: of each actor.

    Raises:
        UnsuitableClusterError: it cannot be reached.
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
            self._join(cluster)
        _keep_off_standard_output()
        self._home = ray.put(Home.here())
        self._spec = spec
        self._actor = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Actor)
        self._workers: list[RayWorker] = []
        self._size, self._asked = 0, float("-inf")
        self._begun = time.monotonic()

    def _join(self, cluster: RayCluster) -> None:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if cluster.address != "auto":
            _require(cluster.address)
        try:
            self.ray.init(address=cluster.address, **quiet)
        except self.ray.exceptions.AuthenticationError as error:
            raise UnsuitableClusterError(
                f"Ray cannot show a token to {cluster.address}: {_first_line(error)}"
            ) from None
        except ConnectionError as error:
            if cluster.address != "auto":
                token = "" if MODE in os.environ else f"; one that asks for a token needs {MODE}=token here"
                raise UnsuitableClusterError(
                    f"no Ray cluster answers at {cluster.address}: {error}{token}"
                ) from None
            self.ray.init(address="local", include_dashboard=False, **quiet)

    @property
    def size(self) -> int:
        """The processors of the cluster, lost nodes left out once Ray knows that they are."""
        now = time.monotonic()
        if now - self._asked > FRESH:
            self._size, self._asked = int(self.ray.cluster_resources().get("CPU", 0)), now
        return self._size

    def start(self) -> RayWorker:
        """A new actor; it begins when the cluster has room for it."""
        self._workers.append(made := RayWorker(self, self._actor.remote(self._home, self._spec)))
        return made

    def ready(self, workers: Collection[RayWorker], seconds: float | None) -> Sequence[RayWorker]:
        """Those whose first call is done or failed."""
        by = {worker.calls[0]: worker for worker in workers if worker.calls}
        if not any(worker.began for worker in self._workers) and time.monotonic() - self._begun > STARTING:
            raise UnsuitableClusterError(
                f"no actor began within {STARTING:.0f} s: the cluster has no free processor"
            )
        most = FRESH if seconds is None else min(seconds, FRESH)  # nodes may come and go meanwhile
        if not by:
            time.sleep(most)
            return []
        done, _ = self.ray.wait(list(by), num_returns=1, timeout=most)
        if done:
            done, _ = self.ray.wait(list(by), num_returns=len(by), timeout=0)
        return [by[call] for call in done]

    def close(self) -> None:
        """End all actors, and leave the cluster if it was joined for them."""
        for worker in self._workers:
            worker.end()
        if self._own:
            self.ray.shutdown()


def _keep_off_standard_output() -> None:
    """Let Ray say on standard error what it says of lost nodes and actors: standard output is the command's."""
    from ray._private import worker

    worker.print_to_stdstream = _say


def _say(data: Mapping[str, Any], ignore_prefix: bool = False) -> None:  # noqa: ARG001 as Ray calls it
    for line in data.get("lines", ()):
        first, _, _ = str(line).partition("\n")
        sys.stderr.write(f"ray: {first[:300]}\n")


def _require(address: str) -> None:
    """Refuse an address where nobody listens; Ray itself would go on trying for minutes.

    Raises:
        UnsuitableClusterError: nobody does, or it is no address.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise UnsuitableClusterError(f"a Ray cluster has an address HOST:PORT, and `{address}` is none")
    try:
        socket.create_connection((host, int(port)), REACHED).close()
    except OSError as error:
        raise UnsuitableClusterError(
            f"no Ray cluster answers at {address}: {error.strerror or error}"
        ) from None


class RayWorker:
    """One actor and the calls to it that are under way."""

    def __init__(self, pool: RayPool, actor: Any) -> None:
        self._pool, self._actor = pool, actor
        self.began = False
        self.calls: deque[Any] = deque([actor.begin.remote()])

    def ask(self, chunk: Sequence[Any]) -> None:
        """Call it with a chunk."""
        self.calls.append(self._actor.frame.remote(pickle.dumps(chunk, pickle.HIGHEST_PROTOCOL)))

    def answer(self) -> Reply | Started | Ended | None:
        """The result of its first call, or how the actor was lost.

        Raises:
            UnsuitableClusterError: its node is not as it must be.
        """
        errors = self._pool.ray.exceptions
        try:
            made = self._pool.ray.get(self.calls.popleft())
        except errors.RayActorError as error:
            return _lost(error)
        except errors.RayError as error:  # what it made was lost with its node
            return Ended(f"its node was lost: {_first_line(error)}", blameless=True)
        if not self.began:
            self.began = True
            return Started()
        return self._pool._spec.read(made) or Ended("its actor did not answer in JSON")

    def end(self) -> None:
        """Kill the actor."""
        with suppress(Exception):  # a lost actor cannot be killed
            self._pool.ray.kill(self._actor)


def _lost(error: Any) -> Ended:
    """How an actor was lost: by itself, as its node tells, or with its node.

    Raises:
        UnsuitableClusterError: it could not be made there.
    """
    said = str(error)
    if isinstance(cause := getattr(error, "cause", None) or error.__cause__, UnsuitableClusterError):
        raise UnsuitableClusterError(str(cause)) from None
    if "UnsuitableClusterError" in said:
        raise UnsuitableClusterError(said.rpartition("UnsuitableClusterError: ")[2].splitlines()[0]) from None
    if "worker process has died" in said:
        return Ended("its actor's process ended, as where memory runs out")
    return Ended(f"its node was lost: {_first_line(error)}", blameless=True)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
