"""Tests of the extension for VS Code: its contributions and its package."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from planspec.dsl.check.names import KEYWORDS
from planspec.live.language.actions import COMMANDS
from planspec.live.language.editor import PLANSPEC_FILE_NAME
from planspec.live.language.lexemes import CONSTANT_WORDS
from tests.docs.generate import editor_grammar
from tests.paths import ROOT

FOLDER = ROOT / "editors" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
GRAMMAR = json.loads((FOLDER / "syntaxes" / "expression.tmLanguage.json").read_text(encoding="utf-8"))


def test_the_extension_names_existing_files_commands_and_settings() -> None:
    contributes = MANIFEST["contributes"]
    named = [pattern.replace("*", "x") for pattern in contributes["languages"][0]["filenamePatterns"]]
    assert all(PLANSPEC_FILE_NAME.fullmatch(name) for name in named) and len(named) == 6
    for grammar in contributes["grammars"]:
        assert (FOLDER / grammar["path"]).exists()
    script = (FOLDER / "extension.js").read_text(encoding="utf-8")
    assert set(re.findall(r'workOnActive\("([\w.]+)"\)', script)) <= COMMANDS.keys()
    assert {x["command"] for x in contributes["commands"]} == set(re.findall(r'registerCommand\("([\w.]+)"', script))
    assert {
        f"planspec.{name}"
        for name in re.findall(r'settings\.get\("(\w+)"\)|\.get\("(\w+)"\)', script)
        for name in name
        if name
    } == set(contributes["configuration"]["properties"])


def test_the_extension_has_the_version_of_planspec() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert MANIFEST["version"] == project["version"]


def test_the_grammar_has_the_words_of_the_language() -> None:
    patterns = GRAMMAR["repository"]["expression"]["patterns"]
    text = " ".join(pattern["match"] for pattern in patterns)
    words = set(re.findall(r"[a-z_]{2,}", text))
    assert {*KEYWORDS, *CONSTANT_WORDS} <= words
    file = FOLDER / "syntaxes" / "expression.tmLanguage.json"
    assert editor_grammar(file.read_text("utf-8")) == file.read_text("utf-8"), "`make docs` writes the builtins"
    for pattern in patterns:
        re.compile(pattern["match"].replace("(?<=\\.)", ""))


@pytest.mark.thorough
@pytest.mark.integration
def test_the_extension_can_be_packaged(tmp_path: Path) -> None:
    npm, npx = shutil.which("npm"), shutil.which("npx")
    if npm is None or npx is None:
        pytest.skip("npm is not installed")
    copy = tmp_path / "editors" / "vscode"
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("node_modules", "*.vsix", "schemas"))
    shutil.copytree(ROOT / "dsl" / "editing" / "schemas", tmp_path / "dsl" / "editing" / "schemas")
    quiet = ("--no-audit", "--no-fund", "--prefer-offline")
    install = subprocess.run(
        [npm, "install", "--omit=dev", *quiet], cwd=copy, capture_output=True, check=False, timeout=120
    )
    if install.returncode:
        pytest.skip(f"npm cannot reach a registry: {install.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
    package_process = subprocess.run(
        [
            npx,
            "--yes",
            "--prefer-offline",
            "@vscode/vsce@4.1.0",
            "package",
            "--allow-missing-repository",
            "--out",
            "planspec.vsix",
        ],
        cwd=copy,
        capture_output=True,
        check=False,
        timeout=240,
    )
    assert package_process.returncode == 0, package_process.stderr.decode(errors="replace")
    with zipfile.ZipFile(copy / "planspec.vsix") as package:
        names = set(package.namelist())
    for name in (
        "extension.js",
        "package.json",
        "readme.md",
        "changelog.md",
        "LICENSE.txt",
        "syntaxes/expression.tmLanguage.json",
        "schemas/task.schema.json",
        "node_modules/vscode-languageclient/lib/node/main.js",
    ):
        assert f"extension/{name}" in names, sorted(x for x in names if "node_modules" not in x)
    assert "extension/schemas.js" not in names


STUBBED = """\
const Module = require("module");
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" || name.startsWith("vscode-languageclient") ? {} : load(name, ...rest));
const { spawn } = require("child_process");
const { addressOf, panelPage } = require(process.argv[1]);
const process_ = spawn(process.argv[2], ["-m", "planspec", "play", process.argv[3]], { stdio: ["ignore", "ignore", "pipe"] });
addressOf(process_).then(
  async (address) => {
    const answer = await fetch(address);
    console.log(JSON.stringify({ address, status: answer.status, page: panelPage(address) }));
    process_.kill();
  },
  (error) => console.log(JSON.stringify({ error: error.message })),
);
"""


@pytest.mark.thorough
@pytest.mark.integration
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")
def test_the_panel_is_a_page_of_planspec_play(tmp_path: Path) -> None:
    """Call the extension's functions with an existing and a missing task. The editor is a stub."""
    task = ROOT / "tasks" / "examples" / "menu.task.yaml"
    results = []
    for path in (task, tmp_path / "none.task.yaml"):
        command = ["node", "-e", STUBBED, str(FOLDER / "extension.js"), sys.executable, str(path)]
        process = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path, timeout=60)
        results.append(json.loads(process.stdout))
    page, failure = results
    assert page["status"] == 200
    assert f'<iframe src="{page["address"]}"' in page["page"]
    assert f"frame-src {page['address'].rpartition('/')[0].rpartition('/')[0]};" in page["page"]
    assert "there is no file" in failure["error"]
