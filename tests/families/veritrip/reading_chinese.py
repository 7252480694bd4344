"""Parser of values in Chinese pages, independent of the code that writes the pages."""

from __future__ import annotations

import re


def prices(text: str) -> set[int]:
    """Return all prices in a text, in yuan or dollars. Free admission is 0."""
    matches = re.findall(r"[¥$](\d+)|(\d+)(?:美元|元)", text)
    return {int(before or after) for before, after in matches} | (
        {0} if re.search("免费|不要门票|不用买票", text) else set()
    )


def times(text: str) -> set[str]:
    """Return all times of day in a text as HH:MM. `全天24小时` (all day) gives 00:00 and 24:00."""
    values = {f"{int(hour):02}:{minute}" for hour, minute in re.findall(r"(?<!\d)(\d\d):(\d\d)", text)}
    for part, hour, half in re.findall("(早上|上午|中午|下午|晚上)([0-9]{1,2})点(半?)", text):
        late = 12 if part in {"下午", "晚上"} else 0
        values.add(f"{int(hour) + late:02}:{'30' if half else '00'}")
    return values | ({"00:00", "24:00"} if "全天24小时" in text else set())


def duration_ranges(text: str) -> set[str]:
    """Return all ranges of durations in a text as `MIN-MAX`, in minutes."""
    spans = set()
    for low, high, unit in re.findall(r"([\d.]+)(?:-|到)([\d.]+)(小时|分钟)", text):
        spans.add("-".join(str(round(float(part) * (60 if unit == "小时" else 1))) for part in (low, high)))
    for alone, unit in re.findall(r"(?<![\d到-])([\d.]+)(小时|分钟)", text):
        minutes = str(round(float(alone) * (60 if unit == "小时" else 1)))
        spans.add(f"{minutes}-{minutes}")
    return spans
