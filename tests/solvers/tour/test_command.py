from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from planspec.commands.console import CommandLineError, Format
from planspec.commands.tour import DistanceKind, Method, print_tour_and_exit, tour
from planspec.solvers.tour import Tour

TOWNS = "name,lat,lon\nBerlin,52.52,13.405\nParis,48.8566,2.3522\nLondon,51.5074,-0.1278\nPrag,50.0755,14.4378\n"
SMALL = "TYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 9 9\n3 9 0\n4 0 9\nEOF\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], str]:
    """Return a function that writes a file, and returns its path."""

    def write_file(name: str, text: str) -> str:
        (tmp_path / name).write_text(text, "utf-8")
        return str(tmp_path / name)

    return write_file


def test_a_tsplib_tour_is_numbered_from_one(
    write: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as left:
        tour(write("small.tsp", SMALL), format=Format.json)
    assert left.value.exit_code == 0
    assert json.loads(capsys.readouterr().out) == {
        "n": 4,
        "length": 36,
        "bound": 36,
        "status": "optimal",
        "tour": [1, 3, 2, 4],
        "method": "held-karp",
    }


@pytest.mark.parametrize("name", ["towns.csv", "towns"])
def test_a_csv_tour_has_the_names_of_its_points(
    name: str, write: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as left:
        tour(write(name, TOWNS), open_path=True, start="London", end="4", metric=DistanceKind.web_mercator)
    out = capsys.readouterr().out.splitlines()
    assert left.value.exit_code == 0
    assert out[0].startswith("optimal: 4 nodes, length ")
    assert out[1:] == ["London", "Paris", "Berlin", "Prag"]


def test_points_without_names_are_numbered(
    write: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit):
        tour(write("a.csv", "lat,lon\n0,0\n0,9\n0,3\n"), open_path=True, method=Method.dfj, format=Format.json)
    assert json.loads(capsys.readouterr().out)["tour"] in ([1, 3, 2], [2, 3, 1])


@pytest.mark.parametrize(
    ("result", "code", "output"),
    [
        (
            Tour(2, (0, 1), 10, 9, "feasible", "dfj"),
            3,
            "feasible: 2 nodes, length 10, bound 9, gap 10.00 %\na\nb\n",
        ),
        (Tour(2, (), None, 3, "unknown", "circuit"), 3, "unknown: 2 nodes, bound 3\n"),
        (Tour(2, (), None, 0, "infeasible", "circuit"), 1, "infeasible: 2 nodes, bound 0\n"),
        (Tour(0, (), 0, 0, "optimal", "trivial"), 0, "optimal: 0 nodes, length 0\n"),
    ],
)
def test_the_exit_code_depends_on_what_is_proved(
    result: Tour, code: int, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as left:
        print_tour_and_exit(result, ["a", "b"], Format.text)
    assert (left.value.exit_code, capsys.readouterr().out) == (code, output)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("lat,lon\n91,0\n", {}, "line 2: the latitude 91"),
        (SMALL.replace("9 9", "9 x"), {}, "line 6: `x`"),
        (SMALL, {"metric": DistanceKind.great_circle}, "TSPLIB"),
        (SMALL, {"start": "5"}, "no node `5`"),
        (SMALL, {"start": "0"}, "no node `0`"),
        (SMALL, {"end": "1"}, "open path"),
        (TOWNS.replace("Paris", "Prag"), {"start": "Prag"}, "2 points are called"),
        ("", {}, "DIMENSION"),
    ],
)
def test_the_message_names_invalid_input(
    text: str, options: dict[str, DistanceKind | str], message: str, write: Callable[[str, str], str]
) -> None:
    with pytest.raises(CommandLineError, match=message):
        tour(write("file", text), **options)  # type: ignore[arg-type]


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CommandLineError, match="not UTF-8"):
        tour(str(tmp_path / "file"))


def test_a_path_s_certificate_is_reported_with_its_ends_and_contradicting_options_are_refused(
    write: Callable[[str, str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = write("towns.csv", TOWNS), tmp_path / "proof.json"
    with pytest.raises(typer.Exit):
        tour(file, open_path=True, start="London", end="Prag", proof=out)
    capsys.readouterr()
    with pytest.raises(typer.Exit) as left:
        tour(file, check=out)
    output = capsys.readouterr().out
    assert (left.value.exit_code, output.split(" is shorter")[0]) == (
        0,
        "valid: no path from London to Prag through these 4 nodes",
    )
    for words in ({"open_path": True}, {"start": "Paris"}, {"proof": out}, {"method": Method.dfj}):
        with pytest.raises(CommandLineError, match="--check takes the claim from the certificate"):
            tour(file, check=out, **words)
