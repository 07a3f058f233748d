"""Pictures show what the documents hold, on axes that can be read."""

from __future__ import annotations

import copy

import pytest

import slcache
from charted import axis, keys, only, panels, rows
from figured import figured
from slcache.charts import run, spec
from slcache.documents import normalise
from slcache.words import kinds, units
from support import mixed, write_trace


@pytest.fixture(scope="module")
def nine(tmp_path_factory: pytest.TempPathFactory) -> slcache.Comparison:
    """Every scheme on a filled device; pages hold four mapping units, and writes may be shorter."""
    made = [(ms, op, at // 4, size // 4) for ms, op, at, size in mixed(1500)]
    path = write_trace(tmp_path_factory.mktemp("figures") / "mixed.csv", made)
    fit, _ = slcache.fitting(device="tiny")
    settings = {"precondition.fill": 0.6, "device.mu_bytes": 1024}
    return slcache.compare(path, device="tiny", schemes=fit, settings=settings)


def test_what_was_programmed_adds_up_to_write_amplification(nine: slcache.Comparison) -> None:
    causes = set()
    for document in nine.documents:
        host, waf = document["host"]["write"]["bytes"], document["waf"]
        stack = run.programmed(document)
        stored = [op for op in document["flash"]["ops"] if "program" in op["kind"]]
        assert sum(stack.values()) == sum(op["bytes"] for op in stored)
        assert sum(stack.values()) == pytest.approx(waf["total"] * host)
        assert sum(waf["by_cause"].values()) == pytest.approx(waf["total"])
        for cause in {cause for _, cause in stack} | waf["by_cause"].keys():
            mine = sum(size for (_, name), size in stack.items() if name == cause)
            assert mine == pytest.approx(waf["by_cause"].get(cause, 0.0) * host), cause
        assert waf["by_cause"]["host"] == pytest.approx(1.0, abs=0.02)
        causes |= waf["by_cause"].keys()
    assert {"host", "rmw", "migration", "gc", "pad"} <= causes


def test_bars_end_at_the_write_amplification(nine: slcache.Comparison) -> None:
    found = rows(only(run.writes(nine.labels, nine.documents)))
    for label, document in zip(nine.labels, nine.documents, strict=True):
        own = [row for row in found if row["row"] == label]
        end = max(row["end"] for row in own if "end" in row)
        (host,) = [row["x"] for row in own if "end" not in row and "text" not in row]
        assert end / host == pytest.approx(document["waf"]["total"])


def test_factors_are_those_of_the_comparison(nine: slcache.Comparison) -> None:
    figures = nine.normalised["schemes"]
    drawn = run.relative(nine.labels, nine.documents, nine.labels[0])
    for panel, side in zip(panels(drawn).values(), ("read", "write"), strict=True):
        found = rows(panel)
        for name in nine.labels:
            own = [row for row in found if row.get("row") == name]
            (mean,) = [row for row in own if row.get("key") == "mean"]
            assert mean["x"] == pytest.approx(figures[name][f"{side}_mean"])
            assert units.factor(mean["x"]) in [row.get("text") for row in own]


def test_parts_of_the_mean_latency_add_up_to_it(nine: slcache.Comparison) -> None:
    drawn = run.attribution(nine.labels, nine.documents)
    for panel, side in zip(panels(drawn).values(), ("read", "write"), strict=True):
        for label, document in zip(nine.labels, nine.documents, strict=True):
            parts = [r for r in rows(panel) if r["row"] == label and "key" in r]
            whole = normalise.attribution(document, side)
            assert max(r["end"] for r in parts) == pytest.approx(sum(whole.values()))
            assert sum(r["told"] == units.duration(whole["service array"]) for r in parts) >= 1


@pytest.mark.parametrize(("times", "scale"), [(9.0, None), (11.0, "log")])
def test_one_that_is_ten_times_the_rest_has_a_log_axis(
    nine: slcache.Comparison, times: float, scale: str | None
) -> None:
    documents = [copy.deepcopy(dict(nine.documents[0])) for _ in range(3)]
    documents[2]["host"]["write"]["latency_us"]["mean"] *= times
    figured(documents[2])
    panel = panels(run.attribution(["a", "b", "c"], documents))
    (write,) = [each for title, each in panel.items() if "write" in title]
    assert axis(write, "x")["scale"].get("type") == scale
    assert "log" not in str(next(each for title, each in panel.items() if "read" in title)["layer"])


def test_a_new_kind_of_waiting_just_appears(nine: slcache.Comparison) -> None:
    documents = [each.to_dict() for each in nine.runs[:2]]
    for document in documents:
        document["host"]["write"]["attribution_us"]["wait"] |= {"zeal": 5.0, "ardour": 9.0}
        figured(document)
    found = run.components(documents)
    colours = [kind.colour for kind in found.values()]
    assert len(set(colours)) == len(colours)
    assert {"wait zeal", "wait ardour"} <= set(keys(run.attribution(["a", "b"], documents)))
    assert "wait zeal is waiting behind zeal" in run.attribution_caption(documents)


def test_waiting_for_a_wordline_is_explained(nine: slcache.Comparison) -> None:
    documents = [each.to_dict() for each in nine.runs[:2]]
    documents[0]["host"]["write"]["attribution_us"]["wait"]["stage"] = 1e6
    figured(documents[0])
    named = keys(run.attribution(["a", "b"], documents))
    assert "wait stage" not in named
    assert "wait wordline to fill" in named
    assert kinds.WAITS["stage"].words in run.attribution_caption(documents)


def test_every_erase_count_is_told(nine: slcache.Comparison) -> None:
    drawn = rows(run.wear(nine.labels, nine.documents))
    for label, document in zip(nine.labels, nine.documents, strict=True):
        pools = document["wear"]["pools"]
        counted = sum(n for pool in pools for _, n in pool["histogram"])
        assert sum(row["y"] for row in drawn if row["key"] == label) == counted


def test_distributions_are_the_documents(nine: slcache.Comparison) -> None:
    drawn = panels(run.latency(nine.labels, nine.documents))
    for side in ("read", "write"):
        for label, document in zip(nine.labels, nine.documents, strict=True):
            shown = [(r["x"], r["y"]) for r in rows(drawn[f"{side}s"]) if r["key"] == label]
            for (x, y), (us, share) in zip(shown[1:], document["host"][side]["cdf"], strict=True):
                assert y == pytest.approx(share)
                assert x == pytest.approx(us) or us < 0.1
    assert axis(drawn["writes, the tail"], "y")["scale"]["type"] == "log"


def test_colours_do_not_repeat() -> None:
    assert len({spec.colour(place) for place in range(300)}) == 300


@pytest.mark.parametrize("kind", ["time", "energy", "size", "share", "factor", "count", "number"])
def test_values_are_told_without_names_in_expressions(kind: str) -> None:
    assert "datum.value" in spec.told(kind, "datum.value")
    assert "'" in spec.told(kind, "datum.value")
