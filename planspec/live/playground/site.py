"""Writer of a playground folder: Pyodide, packages, planspec, the editor, examples and the page."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import zipfile
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath
from typing import Any

from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import PlanspecError
from planspec.files import PACKAGE, scratch_folder
from planspec.live.panel.page import panel_program, panel_style
from planspec.live.playground.examples import Example, examples, shipped_files, starters
from planspec.live.playground.packages import Package

MARKER_FILE = "playground.json"
"""File that marks a folder as a playground, which may be replaced."""
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
OMITTED_SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".pxd", ".pyi", ".pyx", ".pyc"}
"""Suffixes of files in packages that are not needed at run time."""
NATIVE_SUFFIX = ".so"
OMITTED_FOLDERS = {"docs", "tasks", "__pycache__"}
"""Folders of planspec that are not copied as a whole. Tasks of examples are copied file by file."""
FIXED_TIME = (1980, 1, 1, 0, 0, 0)
"""Time stamp of all files in archives. Equal files thus give equal archives."""


class PlaygroundFolderError(PlanspecError, ValueError):
    """The folder contains something other than a playground."""


def write_site(out: Path, archives: Mapping[Package, Path]) -> int:
    """Write a playground into a folder. An older playground in it is replaced.

    Args:
        out: folder of the playground.
        archives: archives of the packages.

    Returns:
        The size of all files in bytes.

    Raises:
        PlaygroundFolderError: the folder contains something else, or a package is not an archive.
        OSError: a file cannot be read or written.
    """
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / MARKER_FILE).is_file())):
        raise PlaygroundFolderError(f"`{out}` is neither an empty folder nor a playground")
    out.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(out.parent) as scratch:
        part = scratch / "part"
        part.mkdir()
        _write_files(part, archives)
        if out.exists():
            out.rename(scratch / "old")
        part.rename(out)
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


def _write_files(out: Path, archives: Mapping[Package, Path]) -> None:
    try:
        modules = dict(_write_scripts(out, archives))
        _write_packages(out / "python" / "packages.zip", archives)
    except (tarfile.TarError, zipfile.BadZipFile, KeyError) as error:
        raise PlaygroundFolderError(f"a package is not a valid archive: {error}") from None
    selected = [*starters(), *examples(Workspace())]
    _write_planspec(out / "python" / "planspec.zip", shipped_files(selected, Workspace().shipped))
    (out / "examples.json").write_text(
        json.dumps([_example_json(one) for one in selected], ensure_ascii=False), encoding="utf-8"
    )
    _write_page(out, modules)
    _write_panel_frame(out)
    _write_licences(out, archives)
    loaded = [f"pyodide/{name}" for name in PYODIDE] + ["python/packages.zip", "python/planspec.zip"]
    manifest = {
        "planspec": distribution("planspec").version,
        "packages": {package.name: package.version for package in archives},
        "loads": {name: (out / name).stat().st_size for name in loaded},
    }
    (out / MARKER_FILE).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def _example_json(example: Example) -> dict[str, Any]:
    data = asdict(example)
    del data["files"]
    return data


# -- the editor and Pyodide -------------------------------------------------------------------------


def _write_scripts(out: Path, archives: Mapping[Package, Path]) -> Iterator[tuple[str, str]]:
    """Write the files from npm, and yield name and path of each module of the editor."""
    for package, path in archives.items():
        if package.index != "npm":
            continue
        with tarfile.open(path, "r:gz") as archive:
            if package.name == "pyodide":
                for name in PYODIDE:
                    _extract(archive, name, out / "pyodide" / name)
                continue
            manifest = json.loads(_read_member(archive, "package.json"))
            entry = PurePosixPath(_module_file(manifest))
            place = f"editor/{package.name.replace('@', '').replace('/', '-')}.js"
            _extract(archive, str(entry), out / place)
            yield package.name, f"./{place}"


def _module_file(manifest: Mapping[str, Any]) -> str:
    """Return the file that `import` loads for a package."""
    exports = manifest.get("exports")
    if isinstance(exports, dict):
        exports = exports.get(".", exports)
    target = exports.get("import") if isinstance(exports, dict) else None
    if isinstance(target, dict):
        target = target.get("default")
    return str(target or manifest.get("module") or manifest["main"])


def _read_member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(f"package/{PurePosixPath(name)}")
    if file is None:
        raise KeyError(name)
    return file.read()


def _extract(archive: tarfile.TarFile, name: str, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(_read_member(archive, name))


# -- Python -----------------------------------------------------------------------------------------


def _write_packages(out: Path, archives: Mapping[Package, Path]) -> None:
    """Write the modules of the PyPI packages into one archive. Of native code, only WebAssembly is included."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive_file:
        for package, path in archives.items():
            if package.index != "pypi":
                continue
            is_wasm = package.file.endswith("wasm32.whl")
            with zipfile.ZipFile(path) as wheel:
                for name in wheel.namelist():
                    if _is_needed(name, is_wasm):
                        _add_file(archive_file, name, wheel.read(name))


def _is_needed(name: str, is_wasm: bool) -> bool:
    path = PurePosixPath(name)
    if name.endswith("/") or path.suffix in OMITTED_SUFFIXES or ".data/" in name:
        return False
    return is_wasm and path.suffix == NATIVE_SUFFIX if NATIVE_SUFFIX in path.suffixes else True


def _write_planspec(out: Path, shipped: tuple[str, ...]) -> None:
    """Write planspec and the given shipped files into one archive."""
    metadata = distribution("planspec")
    base = f"planspec-{metadata.version}.dist-info"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive_file:
        for folder, subfolders, names in os.walk(PACKAGE, followlinks=True):
            subfolders[:] = sorted(
                name
                for name in subfolders
                if name not in OMITTED_FOLDERS or (name != "__pycache__" and Path(folder) != PACKAGE)
            )
            for name in sorted(names):
                path = Path(folder, name)
                if path.suffix not in OMITTED_SUFFIXES:
                    _add_file(archive_file, f"planspec/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes())
        _add_file(archive_file, "planspec/tasks/__init__.py", (PACKAGE / "tasks" / "__init__.py").read_bytes())
        for file in shipped:
            _add_file(archive_file, f"planspec/tasks/{file}", (PACKAGE / "tasks" / file).read_bytes())
        for file in ("METADATA", "entry_points.txt"):
            _add_file(archive_file, f"{base}/{file}", (metadata.read_text(file) or "").encode())


def _add_file(archive_file: zipfile.ZipFile, name: str, data: bytes) -> None:
    archive_file.writestr(zipfile.ZipInfo(name, FIXED_TIME), data, zipfile.ZIP_DEFLATED, compresslevel=9)


# -- the page ---------------------------------------------------------------------------------------


def _write_page(out: Path, modules: Mapping[str, str]) -> None:
    """Write the page.

    Its content security policy allows no external loads and lists inline scripts by hash.
    """
    folder = Path(__file__).with_name("page")
    for path in sorted(folder.iterdir()):
        if path.name != "index.html":
            shutil.copyfile(path, out / path.name)
    imports = json.dumps({"imports": dict(modules)}, indent=1)
    text = (folder / "index.html").read_text(encoding="utf-8").replace("{{imports}}", imports)
    inside = text.split("<script")[1:]
    bodies = [part.split(">", 1)[1].split("</script>")[0] for part in inside if "src=" not in part.split(">", 1)[0]]
    hashes = " ".join(map(_csp_hash, bodies))
    (out / "index.html").write_text(text.replace("{{hashes}}", hashes), encoding="utf-8")


DRAW_PROGRAM = """
const look = document.getElementById("look");
const dress = () => { look.href = `panel-${location.hash.slice(1) || "auto"}.css`; };
addEventListener("hashchange", dress);
dress();
const place = document.getElementById("panel-place");
const tell = () => parent.postMessage({ height: Math.ceil(place.getBoundingClientRect().bottom + scrollY) }, origin);
let sent = null, width = 0;
const draw = () => {
  width = innerWidth;
  const view = { around: frame([sent.plan]), span: hours([sent.plan]), width };
  place.replaceChildren(...[planPart(sent, sent.findings || [], view, "Map of the plan")].flat(Infinity).filter(Boolean));
  for (const day of document.querySelectorAll("h5")) day.setAttribute("aria-level", "3"); // the page around it has two levels
  tell();
};
look.addEventListener("load", tell);
addEventListener("resize", () => (sent && width !== innerWidth ? draw() : tell()));
addEventListener("message", (event) => {
  if (event.source !== parent || event.origin !== origin || !event.data.plan) return;
  sent = event.data;
  draw();
});
parent.postMessage({ drawing: true }, origin);
"""
"""Script of the frame that draws a plan in the page's colours and reports the height of the frame."""
FRAME_STYLE = "#panel-place { margin: 0; }\n"
"""CSS of the frame. Without it, the panel would be wider than the frame on phones."""
DARK_CONDITION = "(prefers-color-scheme: dark)"


def _write_panel_frame(out: Path) -> None:
    """Write the page of the frame in which plans are drawn."""
    style, program = panel_style() + FRAME_STYLE, panel_program(DRAW_PROGRAM)
    looks = {
        "auto": style,
        "light": style.replace(DARK_CONDITION, "not all").replace("color-scheme: light dark", "color-scheme: light"),
        "dark": style.replace(DARK_CONDITION, "all").replace("color-scheme: light dark", "color-scheme: dark"),
    }
    for name, text in looks.items():
        (out / f"panel-{name}.css").write_text(text, encoding="utf-8")
    rules = f"default-src 'none'; style-src 'self'; script-src {_csp_hash(program)}; img-src data:; base-uri 'none'; form-action 'none'"
    text = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{rules}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The plan</title>
<link id="look" rel="stylesheet" href="panel-auto.css">
</head>
<body>
<div id="panel-place" class="inside live"></div>
<script>{program}</script>
</body>
</html>
"""
    (out / "panel.html").write_text(text, encoding="utf-8")


def _csp_hash(script: str) -> str:
    """Return the hash of a script, as used in a content security policy."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def _write_licences(out: Path, archives: Mapping[Package, Path]) -> None:
    """Write the licences of all packages."""
    folder = out / "licences"
    folder.mkdir()
    for package, path in archives.items():
        texts: list[bytes] = []
        if package.index == "npm":
            with tarfile.open(path, "r:gz") as archive:
                names = [name for name in archive.getnames() if _is_licence(name, 2)]
                texts = [_read_member(archive, name.removeprefix("package/")) for name in names]
                manifest = json.loads(_read_member(archive, "package.json"))
            texts.append(f"{package.name} {package.version}: {manifest.get('license')}\n".encode())
        else:
            with zipfile.ZipFile(path) as wheel:
                names = [name for name in wheel.namelist() if ".dist-info/" in name and _is_licence(name, 4)]
                texts = [wheel.read(name) for name in names]
                texts += [wheel.read(name) for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        place = folder / f"{package.name.replace('@', '').replace('/', '-')}.txt"
        place.write_bytes(b"\n".join(texts))


def _is_licence(name: str, max_depth: int) -> bool:
    path = PurePosixPath(name)
    return path.stem.upper() in ("LICENSE", "LICENCE", "COPYING", "NOTICE") and len(path.parts) <= max_depth
