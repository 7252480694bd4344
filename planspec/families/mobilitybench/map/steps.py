"""From moves along pieces to steps along roads, with instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import assert_never

from planspec.families.mobilitybench.map.geometry import bearing, compass
from planspec.families.mobilitybench.map.network import StreetNetwork
from planspec.families.mobilitybench.map.records import City, LineMode, Mode, Point
from planspec.families.mobilitybench.map.route import RouteStep

DIRECTIONS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
CHINESE_DIRECTIONS = ("北", "东北", "东", "东南", "南", "西南", "西", "西北")
VERBS: dict[Mode, tuple[str, str]] = {
    "drive": ("Drive", "行驶"),
    "walk": ("Walk", "步行"),
    "cycle": ("Cycle", "骑行"),
}


@dataclass(frozen=True, slots=True)
class Move:
    """Along one arc.

    Attributes:
        arc: twice the piece, and one more against its direction.
        ms: with the turn into it.
        light: at its beginning, 0 or 1, for drivers.
    """

    arc: int
    ms: int
    light: int = 0


class Writing:
    """Steps in order, whose times are rounded so that they add up.

    Args:
        roads: the city's.
        begun_ms: how much of the first second has passed before the first step.
    """

    def __init__(self, roads: StreetNetwork, begun_ms: int = 0) -> None:
        self._roads = roads
        self._city: City = roads.city
        self._now = begun_ms
        self._told = 0
        self.steps: list[RouteStep] = []

    def _seconds(self, ms: int) -> int:
        self._now += ms
        told, self._told = self._told, -(-self._now // 1000)
        return self._told - told

    def afoot(self, a: Point, b: Point, length_m: int, ms: int) -> None:
        """A walk between two places, off the streets or on streets that are not told; none of no length."""
        if length_m == 0:
            assert ms == 0
            return
        chinese = self._city.language == "zh"
        text = f"步行{length_m}米" if chinese else f"Walk {length_m} m"
        seconds = self._seconds(ms)
        self.steps.append(
            RouteStep("walk", None, None, None, None, None, length_m, seconds, 0, 0, 0, 0, 0, (a, b), text)
        )

    def along(self, mode: Mode, moves: Sequence[Move]) -> None:
        """One step for each road."""
        pieces = self._city.pieces
        runs: list[list[Move]] = []
        for move in moves:
            if runs and pieces[runs[-1][-1].arc // 2].road == pieces[move.arc // 2].road:
                runs[-1].append(move)
            else:
                runs.append([move])
        for run, onward in zip_longest(runs, runs[1:]):
            self._step(mode, run, onward[0] if onward else None)

    def _step(self, mode: Mode, run: Sequence[Move], onward: Move | None) -> None:
        city, roads = self._city, self._roads
        road = city.roads[city.pieces[run[0].arc // 2].road]
        taken = [city.pieces[move.arc // 2] for move in run]
        nodes = [roads.start(run[0].arc), *(roads.end(move.arc) for move in run)]
        length = sum(piece.length_m for piece in taken)
        lights = sum(move.light for move in run[1:]) + (onward.light if onward else 0)
        self.steps.append(
            RouteStep(
                mode=mode,
                road=road.name,
                road_class=road.kind,
                line=None,
                start=None,
                end=None,
                length_m=length,
                duration_s=self._seconds(sum(move.ms for move in run)),
                wait_s=0,
                toll=sum(piece.toll for piece in taken) if mode == "drive" else 0,
                fare=0,
                lights=lights,
                stops=0,
                polyline=tuple(city.junctions[node].point for node in nodes),
                instruction=self._instruction(mode, road.name, length, run, onward),
            )
        )

    def _instruction(
        self, mode: Mode, road: str, length_m: int, run: Sequence[Move], onward: Move | None
    ) -> str:
        flat, start, end = self._roads.flat, self._roads.start, self._roads.end
        way = compass(bearing(flat[start(run[0].arc)], flat[end(run[-1].arc)]))
        swing = 0
        if onward:
            last = bearing(flat[start(run[-1].arc)], flat[end(run[-1].arc)])
            swing = (bearing(flat[start(onward.arc)], flat[end(onward.arc)]) - last + 180) % 360 - 180
        english, chinese = VERBS[mode]
        if self._city.language == "zh":
            then = "" if onward is None else "直行" if abs(swing) < 40 else "右转" if swing > 0 else "左转"
            return f"沿{road}向{CHINESE_DIRECTIONS[way]}{chinese}{length_m}米{then}"
        then = ""
        if onward:
            then = ", then " + (
                "go straight on" if abs(swing) < 40 else f"turn {'right' if swing > 0 else 'left'}"
            )
        return f"{english} {length_m} m {DIRECTIONS[way]} on {road}{then}"

    def ride(
        self,
        mode: LineMode,
        line: str,
        names: tuple[str, str],
        polyline: tuple[Point, ...],
        length_m: int,
        fare: int,
        wait_ms: int,
        ms: int,
    ) -> None:
        """A ride on a line from one stop to another, with the wait before it."""
        wait = self._seconds(wait_ms)
        stops = len(polyline) - 1
        if self._city.language == "zh":
            text = f"在{names[0]}乘坐{line}，经{stops}站到{names[1]}下车"
        else:
            boat: str
            match mode:
                case "ferry":
                    boat = "the ferry"
                case "flight":
                    boat = "the plane"
                case "bus" | "metro" | "tram" | "train":
                    boat = "it"
                case _ as never:
                    assert_never(never)
            text = f"Take {line} from {names[0]} and leave {boat} at {names[1]}, {stops} stop{'s' * (stops > 1)} on"
        self.steps.append(
            RouteStep(
                mode, None, None, line, names[0], names[1], length_m, self._seconds(ms),
                wait, 0, fare, 0, stops, polyline, text,
            )
        )  # fmt: skip
