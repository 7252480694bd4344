"""A group with a command for each family that brings something; its options are the parameters of what the family brings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer
import typer.core

from planspec.commands.console import CallError, Format, collect_as_it_goes, command_group
from planspec.commands.jobs import RayAddress, place_of_work, with_address
from planspec.families.family import BrokenFamilyError, Family, Lazy
from planspec.families.registry import families
from planspec.families.suite_writing.options import Option
from planspec.parallel import Jobs

FORMAT = Annotated[Format, typer.Option(help="How to print.")]


def family_group(
    help: str,
    brought: Callable[[Family], Mapping[str, Lazy[Any]]],
    run: Callable[[str, Callable[[], Any], Format], None],
) -> typer.Typer:
    """The commands of a group, made when one is asked for.

    Args:
        help: of the group.
        brought: what a family brings for it, by the command's name: functions whose parameters are annotated with `Option`.
        run: carries a command out, from the family's name, the function with its arguments bound, and how to print.
    """

    class Commands(typer.core.TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:
            self._make()
            return super().list_commands(ctx)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            self._make()
            return super().get_command(ctx, cmd_name)

        def _make(self) -> None:
            shared = [param for param in self.params if param.name == "color"]  # which every command takes
            for family in [] if self.commands else families():
                for name, reference in brought(family).items():
                    if name in self.commands:
                        raise BrokenFamilyError(
                            f"the family `{family.name}` brings a command `{name}`, and another does"
                        )
                    self.commands[name] = _command(name, reference.load(), run)
                    self.commands[name].params += shared

    group = command_group(help, Commands)

    @group.callback(help=help)
    def _families() -> None:
        collect_as_it_goes()

    return group


class _Command(typer.core.TyperCommand):
    """A command that understands `--ray` without an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_address(args))


def _command(
    name: str, made: Callable[..., Any], run: Callable[[str, Callable[[], Any], Format], None]
) -> Any:
    """The command of a family."""
    options = dict(_options(made))

    def command(**given: Any) -> None:
        how = given.pop("format")
        if "ray" in given:
            given["jobs"] = place_of_work(given["jobs"], given.pop("ray"))
        for option, value in given.items():
            _require(options[option], value)
        run(name, lambda **more: made(**given, **more), how)

    hints, defaults = get_type_hints(made), inspect.signature(made).parameters
    parameters = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name].default,
            annotation=Annotated[hint, _typer(name, option, hint)],
        )
        for name, option in options.items()
        for hint in (int if hints[name] == Jobs else hints[name],)
    ]  # fmt: skip
    if "jobs" in options:
        parameters.append(
            inspect.Parameter("ray", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=RayAddress)
        )
    parameters.append(
        inspect.Parameter("format", inspect.Parameter.KEYWORD_ONLY, default=Format.text, annotation=FORMAT)
    )
    vars(command)["__signature__"] = inspect.Signature(parameters)
    command.__doc__ = inspect.getdoc(made)
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name, cls=_Command)(command)
    return typer.main.get_command(alone)


def _options(made: Callable[..., Any]) -> Iterator[tuple[str, Option]]:
    """The parameters that are options."""
    for name, hint in get_type_hints(made, include_extras=True).items():
        for part in get_args(hint):
            if isinstance(part, Option):
                yield name, part


def _typer(name: str, option: Option, of: Any) -> Any:
    if option.bare:
        return typer.Argument(help=option.help, metavar=option.metavar)
    flag = (f"--{name.replace('_', '-')}",) if of is bool else ()  # without its contrary
    return typer.Option(*flag, help=option.help, metavar=option.metavar, min=option.least)


def _require(option: Option, value: Any) -> None:
    """Refuse a file or folder that is not there; one that is not named is not looked for."""
    named = value if isinstance(value, list | tuple) else [] if value is None else [value]
    for path in named:
        if option.exists == "folder" and not Path(path).is_dir():
            raise CallError(f"there is no folder `{path}`")
        if option.exists == "file" and not Path(path).is_file():
            raise CallError(f"there is no file `{path}`")
