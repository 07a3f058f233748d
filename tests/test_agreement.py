"""A page shows no figure that another of its document contradicts."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache.documents import checks

#: Figures that are said once: by other parts of the document nobody knows them.
ONCE = {"host.duration_ns", "host.unmapped_reads", "host.trim.bytes"}
PARTS = ("host", "waf", "wear.pools")


def places(value: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401
    """Yield the key of every number below a value, with what holds it and where."""
    rows = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inner in rows:
        dotted = f"{key}[{name}]" if isinstance(value, list) else f"{key}.{name}".lstrip(".")
        if isinstance(inner, dict | list):
            yield from places(inner, dotted)
        elif type(inner) in (int, float):
            yield dotted, value, name


def pages_of(document: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return the figures that pages show and that a document says twice."""
    left_out = (
        "host.backlog",
        "cdf",
        "stddev",
        "endurance",
        "requests_beyond",
        "[0].min",
        "cycles",
    )
    return [
        each
        for each in places(document)
        if each[0].startswith(PARTS) and each[0] not in ONCE
        if not any(part in each[0] for part in left_out)
    ]


@pytest.fixture(scope="module")
def result(trace: Path) -> dict[str, Any]:
    return slcache.run(trace, device="tiny", scheme="baseline").to_dict()


@pytest.mark.parametrize("by", [lambda v: v * 3 + 1, lambda v: 1e18, lambda v: 2**62])
def test_no_changed_figure_reaches_a_page(by: Any, result: dict[str, Any], tmp_path: Path) -> None:  # noqa: ANN401
    file, tried = tmp_path / "result.json", 0
    for place in range(len(pages_of(result))):
        edited = copy.deepcopy(result)
        _, holder, name = pages_of(edited)[place]
        holder[name] = by(holder[name])
        file.write_text(json.dumps(edited), encoding="utf-8")
        with pytest.raises(slcache.ResultError) as caught:
            slcache.load(file)
        assert caught.value.key is not None
        tried += 1
    assert tried > 40


def test_a_run_in_a_comparison_is_named(comparison: slcache.Comparison, tmp_path: Path) -> None:
    edited = comparison.to_dict()
    edited["runs"][1]["waf"]["total"] = 0.1
    (tmp_path / "result.json").write_text(json.dumps(edited), encoding="utf-8")
    with pytest.raises(slcache.ResultError, match=r"runs\[1\][.]waf[.]total = 0[.]1: must be "):
        slcache.load(tmp_path)


@pytest.mark.parametrize(
    "more", [{}, {"replay": "closed:4"}, {"settings": {"buffer.bytes": "64KiB"}}], ids=str
)
@pytest.mark.parametrize("device", ["tiny", "nvc-hdd", "hyssd-st"])
def test_what_is_measured_agrees(device: str, more: dict[str, Any], trace: Path) -> None:
    for scheme in slcache.fitting(device=device)[0]:
        document = slcache.run(trace, device=device, scheme=scheme, **more).to_dict()
        assert list(checks.disagreements(document)) == [], scheme
