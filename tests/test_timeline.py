"""The timeline of a run, read with Perfetto's own messages and held against the run's result."""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow.parquet as pq
import pytest

import slcache
from perfetto_reader import ARROWS, Read, read
from support import mixed, write_trace
from support import slcache as run_slcache

ROOT = Path(__file__).parent.parent
RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "open": ("tiny", "baseline", {}),
    "closed": ("tiny", "turbo-write", {"host.replay": "closed", "host.queue_depth": 8}),
    "behind": ("tiny", "tlc-only", {"host.time_scale": 0.01}),
    "buffer": ("tiny", "baseline", {"buffer.bytes": "64KiB", "host.time_scale": 0.05}),
    "planes": ("hierarchy-44g", "hierarchy", {"trace.address": "wrap"}),
    "disk": ("nvc-hdd", "nvc", {"trace.address": "wrap"}),
}


OF_THE_MACHINE = {"sim", "provenance"}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("timeline") / "t.csv", mixed(1200))


@pytest.fixture(scope="module", params=RUNS)
def drawn(
    request: pytest.FixtureRequest, trace: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], Read]:
    """Return a run's document, without and with a timeline, its log, and the timeline."""
    device, scheme, settings = RUNS[request.param]
    top = tmp_path_factory.mktemp("drawn")
    asked: dict[str, Any] = {"device": device, "scheme": scheme, "settings": settings}
    plain = slcache.run(trace, **asked).to_dict()
    watched = slcache.run(trace, **asked, log=top / "log", timeline=top / "t.pftrace").to_dict()
    table = pq.read_table(top / "log")
    log = {name: table[name].to_numpy() for name in table.column_names}
    return plain, watched, log, read(top / "t.pftrace")


@pytest.mark.few(3)
def test_what_a_run_comes_to_does_not_depend_on_its_being_drawn(drawn: Any) -> None:  # noqa: ANN401
    plain, watched, _, _ = drawn
    for key in ("host", "flash", "series", "wear", "scheme", "config", "waf"):
        assert plain[key] == watched[key], key


def test_every_request_is_a_slice_with_its_parts(drawn: Any) -> None:  # noqa: ANN401
    _, _, log, found = drawn
    requests = sorted(found.on("requests"), key=lambda each: each.facts["request"])
    shown = [each.facts["request"] for each in requests]
    assert len(set(shown)) == len(shown)
    left_out = len(log["request"]) - len(shown)
    assert left_out == 0 or f"({left_out} of them" in requests[0].parent
    parts = [key for key in log if key.startswith(("service_", "wait_")) and key != "service_ns"]
    for row, each in zip(shown, requests, strict=True):
        assert each.begin_ns == log["arrival_ns"][row]
        assert each.end_ns == log["completion_ns"][row]
        assert each.name == log["operation"][row]
        told = {key: value for key, value in each.facts.items() if key in parts}
        assert told == {key: int(log[key][row]) for key in parts if log[key][row]}
        assert sum(told.values()) == each.end_ns - each.begin_ns


def test_operations_are_those_that_the_result_counts(drawn: Any) -> None:  # noqa: ANN401
    _, watched, _, found = drawn
    told = Counter(each.name for each in found.on("planes") if "suspended" not in each.facts)
    counted: Counter[str] = Counter()
    for row in watched["flash"]["ops"]:
        counted[f"{row['mode']} {row['kind']} ({row['cause']})"] += row["count"]
    assert told == counted


def test_a_request_is_tied_to_operations_within_its_time(drawn: Any) -> None:  # noqa: ANN401
    _, _, _, found = drawn
    requests = {each.facts["request"]: each for each in found.on("requests")}
    tied = 0
    for each in (*found.on("planes"), *found.on("disk")):
        if not each.flows:
            continue
        own = requests.get(each.flows[0] - 1)
        if own is None:
            assert "of them" in next(iter(requests.values())).parent
            continue
        tied += 1
        assert own.flows == [own.facts["request"] + 1]
        assert [flow for flow in each.flows if flow < ARROWS] == own.flows
        assert own.begin_ns <= each.begin_ns
        assert each.end_ns <= own.end_ns
    assert tied > 0


def test_an_arrow_leads_from_what_was_in_the_way(drawn: Any) -> None:  # noqa: ANN401
    _, _, _, found = drawn
    slices = [*found.on("planes"), *found.on("disk")]
    left = {flow: each for each in slices for flow in each.leaves}
    arrived = {flow: each for each in slices for flow in each.flows if flow >= ARROWS}
    assert left.keys() == arrived.keys()
    assert len(left) == sum(len(each.leaves) for each in slices)
    for flow, after in arrived.items():
        before = left[flow]
        assert before.end_ns == after.begin_ns
        assert any(each < ARROWS for each in after.flows)
        if after.parent == "planes":
            assert after.facts["waited_ns"] > 0
            # Planes of a die may share a command.
            assert before.track.split(" plane")[0] == after.track.split(" plane")[0]
    waited = [each for each in found.on("planes") if "waited_ns" in each.facts and each.flows]
    assert bool(waited) == any(each.parent == "planes" for each in arrived.values())


def test_a_block_that_is_emptied_is_a_decision(drawn: Any) -> None:  # noqa: ANN401
    _, _, _, found = drawn
    erased = Counter(
        (each.name.partition("(")[2].rstrip(")"), each.facts["block"])
        for each in found.on("planes")
        if "erase" in each.name
    )
    begun = Counter(
        (each.name.removesuffix(" begins"), each.facts["block"])
        for each in found.instants
        if each.name.endswith(" begins")
    )
    # Of a plane the last ones may not be erased before the end of the run.
    assert all(begun[what] >= count for what, count in erased.items())
    planes = len({each.track for each in found.on("planes")})
    assert sum(begun.values()) <= sum(erased.values()) + 2 * planes
    at_work = {each.parent for each in found.instants}
    assert at_work <= {"decisions"}


def test_counters_say_how_full_the_regions_are(tmp_path: Path) -> None:
    rows = [(at, "Write", 4096 * (at % 40), 4096) for at in range(600)]
    trace = write_trace(tmp_path / "t.csv", rows)
    for scheme, regions in {
        "tlc-only": ["store 0 (tlc)"],
        "baseline": ["cache 0 (slc)", "store 1 (tlc)"],
    }.items():
        file = tmp_path / f"{scheme}.pftrace"
        slcache.run(trace, device="tiny", scheme=scheme, timeline=file)
        counters = read(file).counters
        shown = {name.partition(":")[0] for name in counters if not name.startswith("knob")}
        assert shown == set(regions)
        live = sum(counters[f"{region}: live"][-1][1] for region in regions)
        assert live == 40 * 4096
        for region in regions:
            free, blocks = counters[f"{region}: free"], counters[f"{region}: blocks"]
            assert min(value for _, value in free) >= 0
            assert max(value for _, value in free) <= max(value for _, value in blocks)
            for values in (free, blocks, counters[f"{region}: live"]):
                assert [at for at, _ in values] == sorted(at for at, _ in values)


def test_knobs_and_windows_are_told_as_they_turn(tmp_path: Path, trace: Path) -> None:
    asked: dict[str, Any] = {"device": ROOT / "examples/rl-1g.toml", "scheme": "rl"}
    settings = {"scheme.rl.step_bytes": "512KiB", "scheme.rl.agent": "random"}
    file = tmp_path / "t.pftrace"
    slcache.run(trace, **asked, settings=settings, timeline=file)
    found = read(file)
    ends = [each for each in found.instants if each.name == "window ends"]
    assert [each.facts["window"] for each in ends] == list(range(len(ends)))
    turned = [each for each in found.instants if " = " in each.name]
    assert ends
    assert turned
    for each in turned:
        name, value = each.name.split(" = ")
        assert (each.begin_ns, float(value)) in found.counters[f"knob {name}"]


def test_the_phases_of_a_cache_are_counted_by_planes(tmp_path: Path) -> None:
    rows = [(0, "Write", 4096 * at, 4096) for at in range(800)]
    trace = write_trace(tmp_path / "t.csv", rows)
    file = tmp_path / "t.pftrace"
    slcache.run(trace, device="tiny", scheme="client", replay="closed:1", timeline=file)
    counters = read(file).counters
    phases = {name: values for name, values in counters.items() if "phase" in name}
    assert [name.rpartition(" ")[2] for name in phases] == ["slc", "closed", "folding"]
    first, last = ({name: values[at][1] for name, values in phases.items()} for at in (0, -1))
    assert list(first.values()) == [4, 0, 0]
    assert sum(last.values()) == 4
    assert last["planes in phase slc"] < 4


def test_of_every_nth_request_the_operations_are_kept(tmp_path: Path, trace: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}
    for every in (1, 7):
        for kind in ("parquet", "pftrace"):
            file = tmp_path / f"{every}.{kind}"
            slcache.run(trace, **asked, timeline=file, timeline_every=every)
    whole = pq.read_table(tmp_path / "1.parquet").to_pylist()
    some = pq.read_table(tmp_path / "7.parquet").to_pylist()
    assert some == [row for row in whole if row["request"] < 0 or row["request"] % 7 == 0]
    found = read(tmp_path / "7.pftrace")
    shown = sorted(each.facts["request"] for each in found.on("requests"))
    assert shown == list(range(0, 1200, 7))
    assert len(found.on("planes")) == len(some)


def test_the_cliff_is_where_writes_become_slow(tmp_path: Path) -> None:
    # All at once a cache is filled that is then too small.
    rows = [(0, "Write", 4096 * at, 4096) for at in range(3000)]
    trace = write_trace(tmp_path / "t.csv", rows)
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "replay": "closed:1"}
    asked["settings"] = {"scheme.baseline.slc_blocks": 3, "trace.address": "wrap"}
    slcache.run(trace, **asked, log=tmp_path / "log")
    log = pq.read_table(tmp_path / "log").to_pydict()
    slcache.run(trace, **asked, timeline=tmp_path / "t.pftrace", timeline_around="cliff")
    shown = [each.facts["request"] for each in read(tmp_path / "t.pftrace").on("requests")]
    latency = np.array(log["latency_ns"], dtype=float)
    # The cache of four planes has 96 pages, half of which are kept free.
    at = len(shown) - 500
    assert shown == list(range(at + 500))
    assert 0 < at <= 96
    assert latency[:at].mean() < 0.7 * latency[at:].mean()


def test_a_channel_serves_one_at_a_time_while_its_planes_work(drawn: Any) -> None:  # noqa: ANN401
    _, watched, _, found = drawn
    busy: dict[str, int] = defaultdict(int)
    for each in found.on("channels"):
        busy[each.track] += each.end_ns - each.begin_ns
    assert busy
    assert all(ns <= watched["host"]["duration_ns"] * 2 for ns in busy.values())


def test_a_stretch_of_time_is_what_overlaps_it(trace: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}
    whole = tmp_path / "whole.pftrace"
    part = tmp_path / "part.pftrace.gz"
    slcache.run(trace, **asked, timeline=whole)
    stretch: dict[str, Any] = {"timeline_from": "100ms", "timeline_until": "0.2s"}
    slcache.run(trace, **asked, timeline=part, **stretch)
    least, most = 100_000_000, 200_000_000

    def kept(found: Read) -> list[tuple[Any, ...]]:
        return sorted(
            (each.parent, each.name, each.begin_ns, each.end_ns)
            for each in found.slices
            if each.parent != "channels" and each.end_ns >= least and each.begin_ns <= most
        )

    assert kept(read(part)) == kept(read(whole))
    assert len(read(part).slices) < len(read(whole).slices) / 2


def test_the_slowest_request_is_found(trace: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}
    slcache.run(trace, **asked, log=tmp_path / "log")
    log = pq.read_table(tmp_path / "log")
    slowest = int(np.argmax(log["latency_ns"].to_numpy()))
    for around in ("slowest", f"request={slowest}"):
        name = tmp_path / f"{around}.pftrace"
        slcache.run(trace, **asked, timeline=name, timeline_around=around)
        requests = read(name).on("requests")
        assert (
            max(requests, key=lambda each: each.end_ns - each.begin_ns).facts["request"] == slowest
        )
        assert len(requests) < 1200


def test_what_means_nothing_is_refused(trace: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}
    file = tmp_path / "t.pftrace"
    cases: list[tuple[dict[str, Any], str]] = [
        ({"timeline_from": "1s"}, "timeline is missing"),
        ({"timeline": file, "timeline_from": "soon"}, "timeline_from: 'soon' is not a number"),
        (
            {"timeline": file, "timeline_from": "2s", "timeline_until": "1s"},
            "timeline_until = 1s: must be later than timeline_from = 2s",
        ),
        ({"timeline": file, "timeline_around": "best"}, "must be slowest, cliff, or request=N"),
        ({"timeline": file, "timeline_every": 0}, "timeline_every = 0: must be between 1 and"),
        ({"timeline_every": 2}, "timeline is missing"),
        ({"timeline": file, "timeline_around": "request=1200"}, "the requests are 0 to 1,199"),
        (
            {"timeline": file, "timeline_around": "slowest", "timeline_from": "1s"},
            "timeline_around = slowest: tells from when until when",
        ),
        ({"timeline": file, "timeline_from": "1h"}, "nothing happens from 3600000000000 ns"),
    ]
    for said, told in cases:
        with pytest.raises(slcache.Error, match="timeline") as caught:
            slcache.run(trace, **asked, **said)
        assert told in str(caught.value)
        assert not list(tmp_path.iterdir())


def test_compared_schemes_draw_the_same_request_each_in_a_file_of_its_own(
    trace: Path, tmp_path: Path
) -> None:
    asked: dict[str, Any] = {"device": "tiny", "replay": "closed:8"}
    schemes = ["tlc-only", "baseline"]
    plain = slcache.compare(trace, schemes=schemes, **asked)
    for jobs in (1, 2):
        top = tmp_path / str(jobs)
        top.mkdir()
        drawn = slcache.compare(
            trace,
            schemes=schemes,
            **asked,
            log=top / "log.parquet",
            timeline=top / "t.pftrace.gz",
            timeline_around="request=700",
            jobs=jobs,
        )
        for before, after, name in zip(plain.every_run, drawn.every_run, schemes, strict=True):
            one, other = before.to_dict(), after.to_dict()
            assert all(one[part] == other[part] for part in one if part not in OF_THE_MACHINE)
            log = pq.read_table(top / f"log-{name}.parquet").to_pydict()
            place = log["request"].index(700)
            requests = read(top / f"t-{name}.pftrace.gz").on("requests")
            mine = [s for s in requests if s.facts["request"] == 700]
            assert [(s.begin_ns, s.end_ns) for s in mine] == [
                (log["arrival_ns"][place], log["completion_ns"][place])
            ]
            assert len(requests) < 1200
        assert len(list(top.iterdir())) == 4


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("suffix", "opened"),
    [("pftrace.gz", "open it on ui.perfetto.dev"), ("parquet", "a table of operations")],
)
def test_the_page_names_the_file_and_what_opens_it(
    suffix: str, opened: str, trace: Path, tmp_path: Path
) -> None:
    asked: dict[str, Any] = {"device": "tiny", "timeline_every": 40, "timeline_until": "400ms"}
    asked["timeline"] = tmp_path / f"t.{suffix}"
    both = slcache.compare(trace, schemes=["tlc-only", "baseline"], **asked)
    alone = slcache.run(trace, scheme="baseline", **asked)
    for result, files in ((both, ("t-tlc-only", "t-baseline")), (alone, ("t",))):
        named = [each["provenance"]["timeline"] for each in result.documents]
        assert named == [{"file": f"{tmp_path}/{file}.{suffix}", "every": 40} for file in files]
        page = result.report()
        assert page.count(opened) == len(files)
        assert all(f"{each['file']}: {opened}" in page for each in named)
        result.save(tmp_path / "out")
        assert slcache.load(tmp_path / "out").report() == page
        assert slcache.rerun(tmp_path / "out").equal
    assert "Timelines" not in slcache.run(trace, device="tiny", scheme="baseline").report()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--from", "soon"], "--from: 'soon' is not a number with a unit"),
        (["--from", "2s", "--until", "1s"], "--until = 1s: must be later than --from = 2s"),
        (["--around", "slowest", "--from", "2s"], "--around = slowest: tells from when"),
        (["--around", "request=x"], "--around = request=x: must be slowest, cliff, or request=N"),
        (["--around", "request=99999"], "--around = request=99999: the requests are 0 to 1,199"),
    ],
)
@pytest.mark.parametrize("verb", [["run", "--scheme"], ["compare", "--schemes"]])
def test_what_is_wrong_with_a_stretch_is_told_by_its_options(
    verb: list[str], words: list[str], told: str, trace: Path, tmp_path: Path
) -> None:
    asked: list[str | Path] = [verb[0], trace, "--device", "tiny", verb[1], "tlc-only"]
    drawn = run_slcache(*asked, "--timeline", tmp_path / "t.pftrace", *words)
    assert drawn.returncode == 2
    assert told in " ".join(drawn.stderr.decode().split())
    assert not list(tmp_path.iterdir())
    missing = run_slcache(*asked, *words)
    told = "--timeline is missing: a stretch of time is that of a timeline;"
    assert told in " ".join(missing.stderr.decode().split())


def test_a_folder_that_is_missing_is_told_before_anything_runs(trace: Path, tmp_path: Path) -> None:
    at = tmp_path / "nowhere" / "t.pftrace"
    for around in ([], ["--around", "slowest"]):
        ended = run_slcache(
            "compare", trace, "--device", "tiny", "--schemes", "baseline", "--timeline", at, *around
        )
        told = f"error: No such file or directory: {tmp_path}/nowhere/t-baseline.pftrace"
        assert (ended.returncode, ended.stderr.decode().strip()) == (1, told)


@pytest.mark.few(3)
@pytest.mark.parametrize("name", RUNS)
def test_a_table_has_the_operations_of_the_timeline(name: str, trace: Path, tmp_path: Path) -> None:
    device, scheme, settings = RUNS[name]
    asked: dict[str, Any] = {"device": device, "scheme": scheme, "settings": settings}
    slcache.run(trace, **asked, timeline=tmp_path / "t.pftrace")
    drawn = read(tmp_path / "t.pftrace")
    slcache.run(trace, **asked, timeline=tmp_path / "t.parquet")
    rows = pq.read_table(tmp_path / "t.parquet").to_pylist()
    flash = [row for row in rows if row["plane"] >= 0]
    told = Counter(
        (f"{r['mode']} {r['kind']} ({r['cause']})", r["begin_ns"], r["end_ns"]) for r in flash
    )
    assert told == Counter((s.name, s.begin_ns, s.end_ns) for s in drawn.on("planes"))
    disk = Counter((row["begin_ns"], row["end_ns"]) for row in rows if row["plane"] < 0)
    assert disk == Counter((s.begin_ns, s.end_ns) for s in drawn.on("disk"))
    # Nothing is asked for without a request, and no request is beyond those that came.
    assert {row["request"] for row in rows} <= {-1, *range(1200)}
    assert all(row["block"] >= 0 for row in flash if row["kind"] == "erase")
    assert [row["end_ns"] for row in rows] == sorted(row["end_ns"] for row in rows)


def test_a_table_is_of_the_stretch_that_was_asked_for(trace: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "replay": "closed:4"}
    slcache.run(trace, **asked, timeline=tmp_path / "all.parquet")
    every = pq.read_table(tmp_path / "all.parquet").to_pylist()
    begin, end = every[len(every) // 3]["end_ns"], every[len(every) // 2]["begin_ns"]
    asked |= {"timeline_from": f"{begin}ns", "timeline_until": f"{end}ns"}
    slcache.run(trace, **asked, timeline=tmp_path / "some.parquet")
    some = pq.read_table(tmp_path / "some.parquet").to_pylist()
    assert some == [row for row in every if row["end_ns"] >= begin and row["begin_ns"] <= end]
    assert 0 < len(some) < len(every)
    asked |= {"timeline_from": "1000000s", "timeline_until": None}
    with pytest.raises(slcache.RunError, match="nothing happens from"):
        slcache.run(trace, **asked, timeline=tmp_path / "none.parquet")
    assert not (tmp_path / "none.parquet").exists()


def test_the_queries_of_the_docs_answer_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs/howto/query-operations.md").read_text(encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    command = next(line for line in text.splitlines() if line.startswith("    slcache "))
    assert run_slcache(*shlex.split(command)[1:]).returncode == 0
    queries = re.findall(r"```sql\n(.*?)\n```\n\n(.*?)\n\n", text + "\n", re.DOTALL)
    assert len(queries) == 3
    for query, shown in queries:
        found = duckdb.sql(query)
        assert found is not None
        rows = [found.columns, ["---"] * len(found.columns), *found.fetchall()]
        told = [[cell.strip() for cell in line.strip("|").split("|")] for line in shown.split("\n")]
        assert [[str(value) for value in row] for row in rows] == told


def test_a_timeline_has_the_request_that_it_is_around(trace: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "replay": "closed:8"}
    asked["timeline"] = tmp_path / "t.parquet"
    slcache.run(trace, **asked, timeline_around="request=700", timeline_every=100)
    assert 700 in pq.read_table(tmp_path / "t.parquet")["request"].to_pylist()
    (tmp_path / "t.parquet").unlink()
    for around in ("request=701", "slowest"):
        with pytest.raises(slcache.UsageError, match="leaves out request") as caught:
            slcache.run(trace, **asked, timeline_around=around, timeline_every=1199)
        assert caught.value.key == "timeline_every"
        assert f"timeline_around = {around}" in str(caught.value)
        assert not list(tmp_path.iterdir())


def test_writes_that_are_all_as_fast_have_no_cliff(tmp_path: Path) -> None:
    # One at a time, to pages of their own: nothing waits and nothing is cleaned.
    trace = write_trace(
        tmp_path / "t.csv", [(at * 2000, "Write", 4096 * (at % 50), 4096) for at in range(300)]
    )
    asked: dict[str, Any] = {"device": "tiny", "timeline": tmp_path / "t.pftrace"}
    for scheme in ("tlc-only", "baseline"):
        with pytest.raises(slcache.UsageError, match="no write is followed by slower ones"):
            slcache.run(trace, **asked, scheme=scheme, timeline_around="cliff")
