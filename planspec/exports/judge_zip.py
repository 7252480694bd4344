"""A judge of a family's tasks in one file, with planspec's modules for judging, Lark, PyYAML and RapidFuzz.

It runs on Python 3.11 or later without any installation. It contains the modules that the judge imports, directly or
indirectly, without docstrings. RapidFuzz, which finds misspelt names, is included as pure Python. The ZIP file has one
compressed member, `modules.zip`, with uncompressed files. Compressing these together saves a quarter of the size.
"""

from __future__ import annotations

import ast
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import distribution, version
from importlib.util import find_spec
from io import BytesIO
from itertools import accumulate
from pathlib import Path

from planspec.exports.wheel import EARLIEST
from planspec.family.descriptor import Family
from planspec.family.registry import GROUP, SHIPPED, reference_of
from planspec.files import PACKAGE

ENTRY = "planspec.api.exported_judge"
LIBRARIES = {"lark": "lark", "rapidfuzz": "RapidFuzz", "yaml": "PyYAML"}
"""Import names of the packages in a judge, with the names of their distributions."""
MODULES = "modules.zip"
UNUSED = frozenset({"tools", "__pyinstaller", "python.lark"})
"""Files and folders of these packages that are left out."""
ABSENT = (
    "planspec.agents",
    "planspec.api.certificates",
    "planspec.api.oracles",
    "planspec.api.overlay",
    "planspec.api.proofs",
    "planspec.api.solving",
    "planspec.api.task_files",
    "planspec.api.tightening",
    "planspec.solvers",
    "planspec.suite_writing",
    "planspec.tasks",
    "planspec.verifiers.metrics",
)
"""Modules left out of the judge, which imports them only inside functions that it never calls."""
DATA = ("*.csv", "*.json", "*.lark", "*.yaml")
"""File name patterns of the data files included with the modules."""


def judge_zip(family: Family) -> bytes:
    """Return the judge of a family's tasks as a ZIP file. Equal sources give equal bytes."""
    reference = reference_of(family.name)
    parts = [part.name for part in (family.format, family.checks, family.official, family.verdict) if part is not None]
    modules = {name.partition(":")[0] for name in (*parts, *([] if reference is None else [reference]))}
    return _judge_zip(family.name, reference or "", tuple(sorted(modules)))


def digest_of(data: bytes) -> str:
    """Return the SHA-256 digest of data in hexadecimal."""
    return sha256(data).hexdigest()


def contents_text() -> str:
    """Return the names and versions of a judge's packages, such as `planspec 0.1.0, lark 1.3.1, PyYAML 6.0.3`."""
    return ", ".join(f"{name} {version(name)}" for name in ("planspec", *LIBRARIES.values()))


@cache
def _judge_zip(family: str, reference: str, modules: tuple[str, ...]) -> bytes:
    files = {**_module_files(modules), **_library_files(), **_metadata_files(family, reference)}
    return _zip({MODULES: _zip(files, zipfile.ZIP_STORED)}, zipfile.ZIP_DEFLATED)


def _zip(files: Mapping[str, bytes], method: int) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, EARLIEST), files[name], method, compresslevel=9)
    return buffer.getvalue()


def _module_files(modules: Iterable[str]) -> Mapping[str, bytes]:
    """Return the sources and data files, by file name, of given modules and all that they and the judge import."""
    packages = {"planspec", *(module.partition(".")[0] for module in modules)}
    files: dict[str, bytes] = {}
    beside: dict[str, Path] = {}
    texts: set[str] = set()
    reached: set[str] = set()
    left = [ENTRY, *modules]
    while left:
        module = left.pop()
        if module in reached or module.partition(".")[0] not in packages or _is_absent(module):
            continue
        reached.add(module)
        path = _source_of(module)
        if path is None:
            continue  # the import names an attribute of a module, not a module
        package = path.name == "__init__.py"
        source = path.read_bytes()
        tree = ast.parse(source)
        left += _imported(tree, lazy=not package)
        left.append(module.rpartition(".")[0])
        folder = (module if package else module.rpartition(".")[0]).replace(".", "/")
        files[f"{folder}/{path.name}"] = _code_of(source)
        for data in _data_beside(path.parent):
            beside[f"{folder}/{data.relative_to(path.parent).as_posix()}"] = data
        texts |= {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    named = {name: data.read_bytes() for name, data in beside.items() if data.name in texts}
    return {**files, **named}


def _is_absent(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in ABSENT)


def _source_of(module: str) -> Path | None:
    """Return the file of a module; None if there is no such module."""
    package, *names = module.split(".")
    if package == "planspec":
        root = PACKAGE
    else:
        spec = find_spec(package) if package else None
        if spec is None or spec.origin is None:
            return None
        root = Path(spec.origin).parent
    path = root.joinpath(*names)
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


def _imported(tree: ast.Module, *, lazy: bool) -> Iterator[str]:
    """Yield the modules that a module imports at run time; with `lazy`, also imports inside functions."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                left += node.orelse
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not lazy:
                continue
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
                yield from (f"{module}.{alias.name}" for alias in node.names)
            case _:
                left += ast.iter_child_nodes(node)


def _code_of(source: bytes) -> bytes:
    """Return the source of a module with empty docstrings. Everything else remains unchanged, on the same lines.

    The code is not regenerated from the syntax tree, because an earlier Python might be unable to parse the result.
    """
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str()), end_lineno=int(line), end_col_offset=int(column)):
                first, last = starts[node.lineno - 1] + node.col_offset, starts[line - 1] + column
                lines = source.count(b"\n", first, last)
                source = source[:first] + b'""' + b" " * (last - first - lines - 2) + b"\n" * lines + source[last:]
    return source


def _data_beside(folder: Path) -> Iterator[Path]:
    for place in (folder, *(each for each in folder.iterdir() if each.is_dir() and not any(each.glob("*.py")))):
        for pattern in DATA:
            yield from place.glob(pattern)


def _library_files() -> Mapping[str, bytes]:
    """Return, by file name, the sources of third-party packages in the judge and the licences of all packages."""
    files: dict[str, bytes] = {}
    for package, name in (("", "planspec"), *LIBRARIES.items()):
        for file in distribution(name).files or ():
            path = Path(str(file.locate()))
            used = file.parts[0] == package and not UNUSED & {*file.parts}
            if used and file.suffix == ".py":
                files[str(file)] = _code_of(path.read_bytes())
            elif (used and file.suffix == ".lark") or file.name.startswith("LICENSE"):
                files[str(file)] = path.read_bytes()
    return files


def _metadata_files(family: str, reference: str) -> Mapping[str, bytes]:
    """Return the packages' metadata files, by file name. They declare the entry point of a third-party family."""
    files = {"planspec/tasks/__init__.py": ""}  # the shipped tasks are left out
    files |= {
        f"{name}-{version(name)}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version(name)}\n"
        for name in ("planspec", *LIBRARIES.values())
    }
    if reference and family not in SHIPPED:
        files["family-0.dist-info/METADATA"] = "Metadata-Version: 2.1\nName: family\nVersion: 0\n"
        files["family-0.dist-info/entry_points.txt"] = f"[{GROUP}]\n{family} = {reference}\n"
    return {name: text.encode("utf-8") for name, text in files.items()}
