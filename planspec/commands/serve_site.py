"""`planspec serve-site`: serves a suite's world as a booking website for agents with a browser."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from planspec.commands.completion import complete_suites
from planspec.commands.console import CommandLineError, Exit, leave, note
from planspec.extras import needing


def serve_site(
    suite: Annotated[
        str,
        typer.Argument(
            help="The suite's file, folder or id.",
            metavar="SUITE",
            show_default=False,
            autocompletion=complete_suites,
        ),
    ],
    host: Annotated[
        str,
        typer.Option(help="The address to listen on. There is no login; everyone who reaches it may book."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 for a free one.", min=0, max=65535)] = 8080,
    seed: Annotated[int, typer.Option(help="Seed of the site's appearance.", min=0)] = 0,
    visual_only: Annotated[
        bool,
        typer.Option(
            "--visual-only",
            help="Hide from screen readers the facts that only greys and colours show.",
        ),
    ] = False,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="Another name by which clients reach the server, such as a proxy's; may be repeated.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve a suite's world as a booking website.

    Agents with a browser read pages, choose days and book. `/requests` lists the travellers' requests; `/answer.json`
    has a session's bookings, as an answer for `planspec verify`. Programs can use `/state.json`, `/health` and, by
    POST, `/reset?seed=`. A session is identified by a cookie or the header `x-session`.
    """
    from planspec.api.catalog import Catalog, suite_folder
    from planspec.api.loading import load
    from planspec.family.registry import family_of
    from planspec.serving.transports import SITE
    from planspec.serving.transports import serve_site as serve

    catalog = Catalog()
    opened = catalog.suite(suite)
    site = SITE.of(family_of(opened.family))
    if site is None:
        raise CommandLineError(f"the suite `{opened.id}` has no site: the family `{opened.family}` provides none")
    tasks = [load(path, workspace=catalog.workspace) for path in opened.tasks]
    with needing("site", "a site needs an extra"):
        app = site(suite_folder(catalog.suite_path(suite)), tasks, seed, visual_only)
    try:
        serve(app, host, port, lambda url: note(f"serving the site of {opened.id} at {url}"), name or ())
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or error
        raise CommandLineError(f"cannot listen at {host}:{port}: {reason}") from None
    leave(Exit.HOLDS)
