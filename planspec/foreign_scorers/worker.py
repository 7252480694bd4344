"""The process in which a Python scorer runs.

This file is run by its path, without loading planspec. Its arguments are the kind of scorer (`python` or `inspect`),
its module or file, and the name of the function. It writes one line `{"ready": true}`, or `{"fault": ...}` if the
scorer cannot be loaded. Then it reads requests, each a line of JSON, and answers each with `{"result": ...}` or
`{"error": ...}`. Output printed by the scorer goes to standard error.
"""

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main() -> None:
    """Serve requests until the input ends."""
    kind, place, name = sys.argv[1:]
    results = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)

    def reply(**line: Any) -> None:
        results.write(json.dumps(line, ensure_ascii=True, default=_plain) + "\n")
        results.flush()

    try:
        scorer = getattr(_module(place), name)
        score = _inspect_function(scorer) if kind == "inspect" else _python_function(scorer)
    except BaseException as error:  # noqa: BLE001 a module may raise anything, SystemExit too
        reply(fault=_describe(error))
        return
    reply(ready=True)
    for line in sys.stdin:
        try:
            result = score(json.loads(line))
            reply(result=result)
        except KeyboardInterrupt:
            return
        except BaseException as error:  # noqa: BLE001 a scorer may raise anything, SystemExit too
            reply(error=_describe(error))


def _module(place: str) -> Any:
    """Return a module, given its name or the path of its file."""
    if not place.endswith(".py"):
        sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(place)
    path = Path(place).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _python_function(function: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a function from a request to the result of `function(task, answer)`."""
    if not callable(function):
        raise TypeError("it is not callable")

    def score(request: dict[str, Any]) -> Any:
        answer = request.pop("answer")
        return function(request, answer)

    return score


def _inspect_function(factory: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a function from a request to the result of an Inspect scorer.

    The sample's input is the query, its target the reference as JSON, and its completion the answer as JSON.
    """
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelName, ModelOutput
    from inspect_ai.scorer import Target, value_to_float
    from inspect_ai.solver import TaskState

    takes_sample = inspect.iscoroutinefunction(factory) and len(inspect.signature(factory).parameters) == 2
    scorer = factory if takes_sample else factory()

    def score(request: dict[str, Any]) -> Any:
        completion = json.dumps(request["answer"], ensure_ascii=False)
        target = Target(json.dumps(request["reference"], ensure_ascii=False))
        state = TaskState(
            model=ModelName("none/none"),
            sample_id=request["task"],
            epoch=1,
            input=request["query"],
            messages=[ChatMessageUser(content=request["query"]), ChatMessageAssistant(content=completion)],
            target=target,
            output=ModelOutput.from_content("none/none", completion),
            completed=True,
            metadata={"givens": request["givens"], "reference": request["reference"]},
        )
        result = asyncio.run(scorer(state, target))
        if result is None:
            raise ValueError("the scorer returned no score")
        value = result.value
        return value_to_float()(value) if isinstance(value, str) else value

    return score


def _plain(value: Any) -> Any:
    """Return a number from another library, such as NumPy, as a Python number; other values unchanged."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a {type(value).__name__} is no JSON")


def _describe(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text[:500]}" if text else type(error).__name__


if __name__ == "__main__":
    main()
