"""Comparisons with several seeds: means, intervals, and differences that are not significant."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from scipy import stats

import slcache
from slcache import metrics
from slcache.documents import schemata
from slcache.documents.normalise import by_seed
from slcache.results.intervals import Figure, against
from slcache.results.means import NOISE
from slcache.results.seeded import SeededComparison
from support import mixed, write_trace
from support import slcache as run_slcache

SCHEMES = ["tlc-only", "baseline"]
WORKLOAD = """about = "random writes and reads"
requests = 600
footprint_bytes = 409600
[global]
rw = "randrw"
rwmixread = 40
bs = "4k"
[arrivals]
process = "poisson"
rate_iops = 400
"""


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("seeds") / "w.toml"
    path.write_text(WORKLOAD)
    return path


@pytest.fixture(scope="module")
def four(workload: Path) -> SeededComparison:
    found = slcache.compare(workload, device="tiny", schemes=SCHEMES, seed=7, seeds=4)
    assert isinstance(found, SeededComparison)
    return found


def test_every_seed_is_a_comparison_of_its_own(workload: Path, four: SeededComparison) -> None:
    assert four.seeds == [7, 8, 9, 10]
    hashes = {each.documents[0]["trace"]["sha256"] for each in four.comparisons}
    assert len(hashes) == 4
    for seed, comparison in zip(four.seeds, four.comparisons, strict=True):
        alone = slcache.compare(workload, device="tiny", schemes=SCHEMES, seed=seed)
        for one, other in zip(alone.documents, comparison.documents, strict=True):
            assert one["host"] == other["host"]
            assert one["config"] == other["config"]
            assert one["trace"] == other["trace"]


def test_intervals_are_those_of_scipy(four: SeededComparison) -> None:
    document = four.to_dict()["seeds"]
    told = document["schemes"]["baseline"]["write_mean_ns"]
    values = [
        each.documents[1]["host"]["write"]["latency_us"]["mean"] * 1000 for each in four.comparisons
    ]
    assert told["values"] == values
    low, high = stats.t.interval(
        document["confidence"], 3, loc=sum(values) / 4, scale=stats.sem(values)
    )
    assert (told["low"], told["high"]) == pytest.approx((low, high))
    base = [each.documents[0]["host"]["write"]["latency_us"]["mean"] for each in four.comparisons]
    logs = [math.log(a / (1000 * b)) for a, b in zip(values, base, strict=True)]
    against = document["against"]["schemes"]["baseline"]["write_mean_ns"]
    assert against["p"] == pytest.approx(stats.ttest_1samp(logs, 0.0).pvalue)
    assert against["inside_noise"] == (against["p"] > 1 - document["confidence"])
    assert against["factor"] == pytest.approx(stats.gmean(values) / stats.gmean(base) / 1000)
    low, high = stats.t.interval(0.95, 3, loc=sum(logs) / 4, scale=stats.sem(logs))
    assert (against["low"], against["high"]) == pytest.approx((math.exp(low), math.exp(high)))


def test_the_document_is_as_its_schema_says_and_keeps_all_runs(
    four: SeededComparison, tmp_path: Path
) -> None:
    document = json.loads(four.to_json())
    Draft202012Validator(schemata.schema("compare")).validate(document)
    assert len(document["runs"]) + sum(len(o["runs"]) for o in document["seeds"]["others"]) == 8
    assert set(document["seeds"]["schemes"]["baseline"]) == set(metrics.of_runs(document["runs"]))
    del document["seeds"]["schemes"]["baseline"]["waf"]["mean"]
    assert not Draft202012Validator(schemata.schema("compare")).is_valid(document)
    four.save(tmp_path)
    again = slcache.load(tmp_path)
    assert isinstance(again, SeededComparison)
    assert again.to_dict() == four.to_dict()


@pytest.mark.parametrize(
    ("mine", "reference", "noise"),
    [
        ([10.0, 11.0, 9.0, 10.5], [20.0, 22.0, 18.0, 21.0], False),
        # Seeds move both alike: the ratios are sure, however wide the means are spread.
        ([10.0, 100.0, 1000.0, 55.0], [11.0, 111.0, 1101.0, 61.0], False),
        ([10.0, 12.0, 9.0, 11.0], [11.0, 10.0, 12.0, 9.0], True),
        ([5.0, 5.0, 5.0, 5.0], [5.0, 5.0, 5.0, 5.0], True),
    ],
)
def test_a_difference_is_told_from_noise(
    mine: list[float], reference: list[float], noise: bool
) -> None:
    found = against({"mine": Figure(mine), "reference": Figure(reference)}, "reference")["mine"]
    assert found.inside_noise is noise
    assert found.factor == pytest.approx(stats.gmean(mine) / stats.gmean(reference))


def test_what_no_run_has_is_null() -> None:
    nothing = Figure([None, None])
    assert nothing.to_dict() == {"values": [None, None], "mean": None, "low": None, "high": None}
    assert Figure([1.0, 2.0]).beside(nothing).pairs == 0
    assert Figure([1.0, 2.0]).beside(Figure([0.0, 0.0])).factor is None
    single = against({"a": Figure([1.0, None]), "b": Figure([2.0, 4.0])}, "b")["a"].to_dict()
    assert (single["factor"], single["low"], single["inside_noise"]) == (0.5, None, None)


def test_the_verdict_says_what_is_noise(four: SeededComparison) -> None:
    alike = [(c.runs[0], slcache.Result(c.runs[0].to_dict(), "twin")) for c in four.comparisons]
    twins = SeededComparison([slcache.Comparison(list(pair)) for pair in alike])
    assert all("not told apart" in line for line in twins.verdict())
    told = " ".join(four.verdict())
    noise = {s: four.against("baseline", f"{s}_mean_ns").inside_noise for s in ("read", "write")}
    assert False in noise.values()
    assert all(f"{s.capitalize()}s, over 4 seeds: " in told for s in noise if not noise[s])
    assert NOISE in twins.summary()


#: What is drawn, by the settings with which a scheme draws it.
SETTINGS: list[tuple[str, dict[str, object]]] = [
    ("rl", {}),
    ("rl", {"scheme.rl.agent": "random"}),
    ("rl", {"scheme.rl.agent": "none"}),
    ("baseline", {"scheme.baseline.slc.victim": "random"}),
    ("baseline", {"scheme.baseline.slc.victim": {"d-choices": {"d": 2}}}),
    ("baseline", {"precondition.fill": 0.5, "precondition.overwrite": 1.0}),
    ("baseline", {"precondition.fill": 0.5, "precondition.steady": True}),
    ("baseline", {"precondition.fill": 0.5}),
    *((str(each["name"]), {}) for each in slcache.schemes() if each["name"] != "rl"),
]


@pytest.mark.parametrize("case", range(len(SETTINGS)))
def test_what_is_drawn_is_known(case: int, tmp_path: Path) -> None:
    """Of a recording two seeds give one result, unless something of the configuration is drawn."""
    scheme, settings = SETTINGS[case]
    trace = write_trace(tmp_path / "t.csv", mixed(900, write_share=0.9))
    asked = {"scheme": scheme, "settings": {"trace.address": "wrap", **settings}}
    found = None
    for device in ("tiny", "hyssd-st", "nvc-hdd", "ips-coop"):
        try:
            found = [
                slcache.run(trace, device=device, seed=seed, **asked).documents[0]  # type: ignore[arg-type]
                for seed in (1, 2)
            ]
            break
        except slcache.Error:
            continue
    assert found is not None
    one, other = ([each[part] for part in ("host", "flash", "wear", "scheme")] for each in found)
    assert (one != other) == bool(by_seed(found[0]["config"]))


def test_means_are_shown_wherever_the_comparison_is(four: SeededComparison, tmp_path: Path) -> None:
    """Of one seed alone nothing is shown under sentences on all of them."""
    four.save(tmp_path)
    done = run_slcache("report", tmp_path, "--out", tmp_path / "again.html")
    assert done.returncode == 0, done.stderr
    shown = [done.stdout.decode(), four._repr_html_(), four.summary()]
    texts = ["".join(each.split()) for each in shown]
    for row in four.seed_rows():
        for cell in row.cells:
            told = "".join(cell.marked.split())
            assert all(told in text for text in texts), f"{row.label}, {cell.title}"
        # 600 requests: 2 or 4 of a side lie beyond its p99, none beyond p99.9.
        thin = {cell.title for cell in row.cells if cell.thin}
        assert thin == {"read p99", "write p99", "write p99.9"}
        assert all(cell.marked.endswith("*") == cell.thin for cell in row.cells)


def test_wrong_numbers_of_seeds_are_refused(workload: Path, four: SeededComparison) -> None:
    with pytest.raises(slcache.UsageError, match="seeds = 0"):
        slcache.compare(workload, device="tiny", schemes=SCHEMES, seeds=0)
    with pytest.raises(ValueError, match="one seed has no spread"):
        SeededComparison(four.comparisons[:1])
    with pytest.raises(ValueError, match="seeds used twice"):
        SeededComparison([four.comparisons[0], four.comparisons[0]])


def test_seeds_of_what_is_not_drawn_have_no_interval(trace: Path) -> None:
    """Equal figures of all seeds, of older results, are no measurement of their spread."""
    asked: dict[str, Any] = {"device": "tiny", "schemes": ["tlc-only", "baseline"]}
    both = SeededComparison([slcache.compare(trace, **asked, seed=seed) for seed in (1, 2)])
    assert any("nothing is drawn here" in note for note in both.notes())
    assert "±" not in both.summary().split("Means over")[0]
