from __future__ import annotations

import pytest

from planspec.errors import TourInputError
from planspec.solvers.tour import shortest
from planspec.solvers.tour.points import METRICS, GeoPoint, matrix, parse


def test_columns_are_found_by_name_in_any_case_and_order() -> None:
    text = "note,Lng,NAME,LAT\n,13.4,Berlin,52.5\nlong,2.35,Paris,48.85\n"
    assert parse(text) == (GeoPoint("Berlin", 52.5, 13.4), GeoPoint("Paris", 48.85, 2.35))


@pytest.mark.parametrize("header", ["lat,lon", "latitude,longitude", "Latitude , LNG", "lat,long"])
def test_names_of_points_are_optional(header: str) -> None:
    assert parse(f"{header}\n1,2\n\n-3.5,+4e0\n") == (GeoPoint("", 1, 2), GeoPoint("", -3.5, 4))


def test_a_name_is_preferred_to_an_id_and_an_id_is_used_without_a_name() -> None:
    assert parse("id,name,lat,lon\n7,A,1,2\n")[0].name == "A"
    assert parse("id,lat,lon\n7,1,2\n")[0].name == "7"


def test_without_points_the_matrix_is_empty() -> None:
    assert matrix(()).shape == (0, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no header"),
        ("\ufefflat,lon\r\n", "a header and no point"),
        ("a,b\n1,2\n", "line 1: the header has no column latitude or lat"),
        ("lat,b\n1,2\n", "line 1: the header has no column longitude or lon or lng or long"),
        ("lat,latitude,lon\n1,2,3\n", "line 1: two columns could be the latitude"),
        ("lat,lon\n1,2\n1\n", "line 3: 1 cells, but the header has 2"),
        ("lat,lon\n1,2,3\n", "line 2: 3 cells"),
        ("lat,lon\nx,2\n", "line 2: `x` is not a latitude"),
        ("lat,lon\n1,\n", "line 2: `` is not a longitude"),
        ("lat,lon\nnan,2\n", "line 2: `nan` is not a latitude"),
        ("lat,lon\n1,1e999\n", "line 2: `1e999` is not a longitude"),
        ("lat,lon\n1_0,2\n", "line 2: `1_0` is not a latitude"),
        ("lat,lon\n90.5,2\n", "line 2: the latitude 90.5 is not between -90 and 90"),
        ("lat,lon\n1,2\n\n1,-180.1\n", "line 4: the longitude -180.1 is not between -180 and 180"),
        ('name,lat,lon\n"a\nb",1,2\nc,x,2\n', "line 4: `x`"),
        ('lat,lon\n"1,2\n', "not CSV"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(TourInputError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_both_metrics_give_whole_symmetric_metres() -> None:
    places = parse("lat,lon\n52.52,13.405\n48.8566,2.3522\n51.5074,-0.1278\n52.52,13.405\n")
    for metric in METRICS:
        lengths = matrix(places, metric)
        assert (lengths == lengths.T).all()
        assert lengths[0, 3] == 0
        assert shortest(lengths).status == "optimal"
    assert matrix(places)[0, 1] == pytest.approx(877_000, abs=2_000)
    assert (matrix(places, "web-mercator") >= matrix(places)).all()


def test_an_unknown_metric_is_refused() -> None:
    with pytest.raises(TourInputError, match="there is no metric `air`"):
        matrix((), "air")  # type: ignore[arg-type]
