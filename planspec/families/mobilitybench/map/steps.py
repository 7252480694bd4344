"""Steps of a route: consecutive moves along one road become one step with an instruction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import assert_never

from planspec.families.mobilitybench.map.geometry import bearing, compass
from planspec.families.mobilitybench.map.network import StreetNetwork
from planspec.families.mobilitybench.map.phrases import phrases
from planspec.families.mobilitybench.map.records import City, LineMode, Mode, Point
from planspec.families.mobilitybench.map.route import RouteStep

STRAIGHT_ON_DEGREES = 40
"""Change of direction, in degrees, below which a turn counts as straight on."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move along one arc, which is a piece of road in one direction.

    Attributes:
        arc: twice the id of the piece, plus 1 if the move runs from head to tail.
        ms: duration in milliseconds, including the turn into the arc.
        light: number of traffic lights at the beginning of the arc, 0 or 1; always 0 on foot and by bicycle.
    """

    arc: int
    ms: int
    light: int = 0


class StepWriter:
    """Writer of the steps of a route, in order. Times are rounded to seconds such that they add up.

    Args:
        roads: streets of the city.
        begun_ms: start of the first step, in milliseconds after a full second.
    """

    def __init__(self, roads: StreetNetwork, begun_ms: int = 0) -> None:
        self._roads = roads
        self._city: City = roads.city
        self._phrases = phrases(roads.city.language)
        self._now = begun_ms
        self._written_s = 0
        self.steps: list[RouteStep] = []

    def _rounded_seconds(self, ms: int) -> int:
        self._now += ms
        previous, self._written_s = self._written_s, -(-self._now // 1000)
        return self._written_s - previous

    def add_walk(self, a: Point, b: Point, length_m: int, ms: int) -> None:
        """Add a walk away from the roads between two places. A walk of length 0 is skipped."""
        if length_m == 0:
            assert ms == 0
            return
        text = self._phrases.afoot.format(length=length_m)
        seconds = self._rounded_seconds(ms)
        self.steps.append(
            RouteStep("walk", None, None, None, None, None, length_m, seconds, 0, 0, 0, 0, 0, (a, b), text)
        )

    def add_road_steps(self, mode: Mode, moves: Sequence[Move]) -> None:
        """Add one step for each run of consecutive moves along the same road."""
        pieces = self._city.pieces
        runs: list[list[Move]] = []
        for move in moves:
            if runs and pieces[runs[-1][-1].arc // 2].road == pieces[move.arc // 2].road:
                runs[-1].append(move)
            else:
                runs.append([move])
        for run, onward in zip_longest(runs, runs[1:]):
            self._add_road_step(mode, run, onward[0] if onward else None)

    def _add_road_step(self, mode: Mode, run: Sequence[Move], onward: Move | None) -> None:
        city, roads = self._city, self._roads
        road = city.roads[city.pieces[run[0].arc // 2].road]
        pieces = [city.pieces[move.arc // 2] for move in run]
        nodes = [roads.start(run[0].arc), *(roads.end(move.arc) for move in run)]
        length = sum(piece.length_m for piece in pieces)
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
                duration_s=self._rounded_seconds(sum(move.ms for move in run)),
                wait_s=0,
                toll=sum(piece.toll for piece in pieces) if mode == "drive" else 0,
                fare=0,
                lights=lights,
                stops=0,
                polyline=tuple(city.junctions[node].point for node in nodes),
                instruction=self._instruction(mode, road.name, length, run, onward),
            )
        )

    def _instruction(self, mode: Mode, road: str, length_m: int, run: Sequence[Move], onward: Move | None) -> str:
        flat, start, end = self._roads.flat, self._roads.start, self._roads.end
        wordings, turn = self._phrases, ""
        way = wordings.ways[compass(bearing(flat[start(run[0].arc)], flat[end(run[-1].arc)]))]
        if onward:
            last = bearing(flat[start(run[-1].arc)], flat[end(run[-1].arc)])
            swing = (bearing(flat[start(onward.arc)], flat[end(onward.arc)]) - last + 180) % 360 - 180
            turn = (
                wordings.turns.ahead
                if abs(swing) < STRAIGHT_ON_DEGREES
                else wordings.turns.right
                if swing > 0
                else wordings.turns.left
            )
        verb = wordings.verbs[mode][onward is not None]
        return wordings.along.format(verb=verb, length=length_m, way=way, road=road, turn=turn)

    def add_ride(
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
        """Add a ride on a line and the wait before it. `names` are the stops where it begins and ends."""
        wait = self._rounded_seconds(wait_ms)
        stops = len(polyline) - 1
        match mode:
            case "ferry":
                text = self._phrases.sail
            case "flight":
                text = self._phrases.fly
            case "bus" | "metro" | "tram" | "train":
                text = self._phrases.ride
            case _ as never:
                assert_never(never)
        stop_count = self._phrases.stops[stops > 1].format(n=stops)
        text = text.format(line=line, start=names[0], end=names[1], stops=stop_count)
        self.steps.append(
            RouteStep(
                mode,
                None,
                None,
                line,
                names[0],
                names[1],
                length_m,
                self._rounded_seconds(ms),
                wait,
                0,
                fare,
                0,
                stops,
                polyline,
                text,
            )
        )
