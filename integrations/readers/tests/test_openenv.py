"""OpenEnv's own checks of an exported folder: its manifest, its tasks, and the environment that serves them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from conftest import Export

if find_spec("openenv") is None:
    pytest.skip("`openenv` is not installed in this environment", allow_module_level=True)

CHECKED = {"static.manifest"}
"""Checks of OpenEnv 0.10 that a folder of Harbor's tasks can pass. The others need a server, or do not exist yet."""
CRITERIA = {
    "openapi_version_available",
    "health_endpoint",
    "metadata_endpoint",
    "schema_endpoint",
    "mcp_endpoint",
    "mode_endpoint_consistency",
}
OPENENV = str(Path(sys.executable).with_name("openenv"))


def run_validate(*words: str) -> tuple[int, Any]:
    done = subprocess.run([OPENENV, "validate", *words, "--json"], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stderr


def test_the_manifest_of_a_folder_passes_and_no_check_fails(export: Export) -> None:
    status, report = run_validate(str(export.folder / "two"))
    assert status == 0, report
    statuses = {result["check_id"]: result["status"] for result in report["results"]}
    assert {check for check, each in statuses.items() if each == "pass"} == CHECKED
    assert {each for check, each in statuses.items() if check not in CHECKED} == {"skip"}
    assert report["manifest"]["reward"]["floor_margin"] == 1
    capabilities = report["manifest"]["capabilities"]
    for path in (capabilities["verifier"]["entry"], capabilities["oracle"]["location"], capabilities["canaries"]):
        assert (export.folder / "two" / path).is_file()


def test_a_task_alone_is_no_package_that_this_version_reads(export: Export) -> None:
    status, error = run_validate(str(export.folder / "two" / "two"))
    assert status == 2
    assert "contains none of the well-known files" in error


def test_openenv_finds_the_tasks(export: Export) -> None:
    from openenv.harbor.tasks import HarborTaskProvider, has_symlinks

    tasks = HarborTaskProvider([str(export.folder / "menu")]).list_tasks(str(export.folder / "menu"))
    assert [task["task_name"] for task in tasks] == ["menu"]
    assert "# Message 3" in tasks[0]["instruction"]
    assert not has_symlinks(export.folder / "menu" / "menu")


class Model(BaseHTTPRequestHandler):
    """A model server that always replies `ok`: OpenEnv does not serve tasks without a model."""

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "model", "object": "model"}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}
        self._send({"id": "1", "object": "chat.completion", "created": 1, "model": "model", "choices": [choice]})

    def _send(self, data: Any) -> None:
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: Any) -> None:
        pass


def free_port() -> int:
    with ThreadingHTTPServer(("127.0.0.1", 0), Model) as server:
        return server.server_port


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(120):
        assert server.poll() is None, log.read_text("utf-8")[-3000:]
        try:
            with urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(1)
    raise AssertionError(f"no answer from {url}: {log.read_text('utf-8')[-3000:]}")


@contextmanager
def openenv_server(folder: Path, home: Path) -> Iterator[str]:
    """Run OpenEnv's server for the tasks of a folder, and yield its address."""
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    port = free_port()
    options = {
        "dataset": folder,
        "llm-url": f"http://127.0.0.1:{model.server_port}/v1",
        "model": "model",
        "host": "127.0.0.1",
        "port": port,
        "capture-port": free_port(),
        "expose": "direct",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [OPENENV, "harbor", "serve", *words], env={**os.environ, "HOME": str(home)}, stdout=log, stderr=log
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(f"{url}/health", server, home / "log")
        yield url
    finally:
        server.terminate()
        server.wait(30)
        model.shutdown()


def test_the_served_environment_passes_all_checks(export: Export, tmp_path: Path) -> None:
    if find_spec("harbor") is None:
        pytest.skip("OpenEnv serves Harbor's tasks with `harbor`, which needs Python 3.12")
    with openenv_server(export.folder / "two", tmp_path) as url:
        status, report = run_validate("--url", url)
    assert status == 0, report
    criteria = report["criteria"]
    assert {each["id"] for each in criteria} == {each["id"] for each in criteria if each["passed"]} == CRITERIA
