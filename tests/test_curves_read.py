"""What the pointer reads off a distribution is the result's, as far as a picture is exact."""

from __future__ import annotations

import html
import json
import math
import re
from itertools import pairwise
from pathlib import Path

import pytest

import slcache
from browser import in_node, needs_node

TEMPLATES = Path(slcache.__file__).parent / "templates"
PANEL = re.compile(r"<g data-scale='([^']*)'>(.*?)(?=<g data-scale|</svg>)", re.DOTALL)
LINE = re.compile(r'<g><title>([^<]*)</title><path d="([^"]*)"')


def read(panel: tuple[str, str], latencies_us: list[float]) -> dict[str, list[float | None]]:
    """Return what the script reads at latencies, by scheme and side; None beside the curve."""
    across, up = json.loads(html.unescape(panel[0]))
    (low, high), (start, end) = map(math.log10, across["shows"]), across["at"]
    xs = [start + (math.log10(us) - low) / (high - low) * (end - start) for us in latencies_us]
    parts = [(TEMPLATES / "curves.js").read_text().rpartition("\ncurves();")[0]]
    parts.append(f"const up = {json.dumps(up)}, xs = {json.dumps(xs)}, told = {{}};")
    for name, path in LINE.findall(panel[1]):
        key = json.dumps(html.unescape(name).rpartition(": ")[0])
        parts.append(f"told[{key}] = xs.map((x) => shown(up, height(corners('{path}'), x)));")
    found: dict[str, list[float | None]] = in_node("\n".join(parts), "told")
    return found


@needs_node
@pytest.mark.parametrize("side", ["read", "write"])
def test_shares_are_the_result_s(comparison: slcache.Comparison, side: str) -> None:
    panels = PANEL.findall(comparison.report())
    assert len(panels) == 4
    first, asked = ("read", "write").index(side), 0
    for label, run in zip(comparison.labels, comparison.runs, strict=True):
        cdf = run.to_dict()["host"][side]["cdf"]
        between = [
            (math.sqrt(x * after), share)
            for (x, share), (after, _) in pairwise(cdf)
            if x > 0.1 and after / x > 1.01
        ]
        asked += len(between)
        places = [x for x, _ in between]
        below = read(panels[first], places)[f"{label}, {side}s"]
        above = read(panels[2 + first], places)[f"{label}, {side}s"]
        for (_, share), at_or_below, beyond in zip(between, below, above, strict=True):
            assert at_or_below == pytest.approx(share, abs=2e-3)
            assert beyond == pytest.approx(1 - share, rel=1e-2)
    assert asked > 3


@needs_node
def test_nothing_is_read_beside_a_curve(comparison: slcache.Comparison) -> None:
    panel = PANEL.findall(comparison.report())[0]
    across, _ = json.loads(html.unescape(panel[0]))
    outside = [across["shows"][0] * 1.0001, across["shows"][1] * 0.9999]
    assert set(map(tuple, read(panel, outside).values())) == {(None, None)}


@needs_node
def test_curves_of_a_trace_are_its_figures(trace: Path, tmp_path: Path) -> None:
    found = slcache.Trace(trace)
    found.picture(tmp_path / "trace.html")
    info = found.info()
    gaps, hot = PANEL.findall((tmp_path / "trace.html").read_text())
    steps = [(us, share) for us, share in info["interarrival"]["cdf"] if us > 1.0]
    between = [math.sqrt(us * after) for (us, _), (after, _) in pairwise(steps)]
    told = read(gaps, between)["of gaps"]
    assert told == pytest.approx([share for _, share in steps[:-1]], abs=0.005)
    for key, name in (("access_curve", "accesses to pages touched"), ("write_curve", "writes to")):
        curve = info["hot_set"][key][1:-1]
        (whole,) = (each for each in read(hot, [1.0]) if each.startswith(name))
        told = read(hot, [pages for pages, _ in curve])[whole]
        assert told == pytest.approx([share for _, share in curve], abs=0.005)
