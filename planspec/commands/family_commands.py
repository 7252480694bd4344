"""Groups of commands that the families provide.

Each command calls a function of a family. The parameters of the function become options of the command.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer
import typer.core

from planspec.commands.console import CommandLineError, Format, collect_garbage_often, command_group
from planspec.commands.jobs import RayAddress, add_ray_address, resolve_jobs
from planspec.family.descriptor import BrokenFamilyError, Family, Lazy
from planspec.family.registry import families
from planspec.parallel import Jobs
from planspec.suite_writing.options import Option

FORMAT = Annotated[Format, typer.Option(help="How to print.")]


def family_group(
    help: str,
    get_functions: Callable[[Family], Mapping[str, Lazy[Any]]],
    run: Callable[[str, Callable[[], Any], Format], None],
) -> typer.Typer:
    """Return a group of commands. They are created when the first one is needed.

    Args:
        help: help of the group.
        get_functions: returns a family's functions, by command name. Parameters annotated with `Option` become options.
        run: function that runs a command. It takes the family's name, the function with its arguments bound, and the
            output format.
    """

    class Commands(typer.core.TyperGroup):
        is_complete = False

        def list_commands(self, ctx: Any) -> list[str]:
            self._make_commands()
            return super().list_commands(ctx)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            self._make_commands()
            return super().get_command(ctx, cmd_name)

        def _make_commands(self) -> None:
            shared = [param for param in self.params if param.name == "color"]  # every command has this option
            for family in [] if self.is_complete else families():
                for name, reference in get_functions(family).items():
                    if name in self.commands:
                        raise BrokenFamilyError(
                            f"the family `{family.name}` provides a command `{name}`, which exists without it"
                        )
                    self.commands[name] = _make_command(name, reference.load(), run)
                    self.commands[name].params += shared
            self.is_complete = True

    group = command_group(help, Commands)

    @group.callback(help=help)
    def _prepare() -> None:
        collect_garbage_often()

    return group


class _FamilyCommand(typer.core.TyperCommand):
    """A command that accepts `--ray` without an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, add_ray_address(args))


def _make_command(
    name: str, function: Callable[..., Any], run: Callable[[str, Callable[[], Any], Format], None]
) -> Any:
    options = dict(_options(function))

    def command(**values: Any) -> None:
        output_format = values.pop("format")
        if "ray" in values:
            values["jobs"] = resolve_jobs(values["jobs"], values.pop("ray"))
        for option, value in values.items():
            _check_paths(options[option], value)
        run(name, lambda **further: function(**values, **further), output_format)

    hints, defaults = get_type_hints(function), inspect.signature(function).parameters
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults[name].default,
            annotation=Annotated[hint, _typer_parameter(name, option, hint)],
        )
        for name, option in options.items()
        for hint in (int if hints[name] == Jobs else hints[name],)
    ]
    if "jobs" in options:
        parameters.append(inspect.Parameter("ray", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=RayAddress))
    parameters.append(
        inspect.Parameter("format", inspect.Parameter.KEYWORD_ONLY, default=Format.text, annotation=FORMAT)
    )
    vars(command)["__signature__"] = inspect.Signature(parameters)
    command.__doc__ = inspect.getdoc(function)
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, cls=_FamilyCommand)(command)
    return typer.main.get_command(app)


def _options(function: Callable[..., Any]) -> Iterator[tuple[str, Option]]:
    """Yield the name and the `Option` of each parameter annotated with one."""
    for name, hint in get_type_hints(function, include_extras=True).items():
        for part in get_args(hint):
            if isinstance(part, Option):
                yield name, part


def _typer_parameter(name: str, option: Option, hint: Any) -> Any:
    if option.bare:
        return typer.Argument(help=option.help, metavar=option.metavar)
    flag = (f"--{name.replace('_', '-')}",) if hint is bool else ()  # without a `--no-` variant
    return typer.Option(*flag, help=option.help, metavar=option.metavar, min=option.least)


def _check_paths(option: Option, value: Any) -> None:
    """Check that the files or folders named by an option exist.

    Args:
        option: declaration of the option.
        value: path, list of paths, or None if the option was left out.

    Raises:
        CommandLineError: a path does not exist.
    """
    named = value if isinstance(value, list | tuple) else [] if value is None else [value]
    for path in named:
        if option.exists == "folder" and not Path(path).is_dir():
            raise CommandLineError(f"there is no folder `{path}`")
        if option.exists == "file" and not Path(path).is_file():
            raise CommandLineError(f"there is no file `{path}`")
