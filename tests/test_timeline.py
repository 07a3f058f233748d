"""The timeline and the log of a run, read back and held against the run's result."""

from __future__ import annotations

import json
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
LINK = {
    "host.link.lanes": 1,
    "host.link.lane_mb_per_s": 100,
    "host.link.payload_bytes": 256,
    "host.link.header_bytes": 26,
    "host.link.read_overhead_ns": 11,
    "host.link.write_overhead_ns": 17,
}
RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "open": ("tiny", "baseline", {}),
    "closed": ("tiny", "turbo-write", {"host.replay": "closed", "host.queue_depth": 8}),
    "behind": ("tiny", "tlc-only", {"host.time_scale": 0.01}),
    "pending": ("tiny", "tlc-only", {"host.queue_depth": 2, "host.time_scale": 0.01}),
    "link": ("tiny", "hierarchy", {**LINK, "device.mu_bytes": 1024}),
    "buffer": ("tiny", "baseline", {"buffer.bytes": "64KiB", "host.time_scale": 0.05}),
    "planes": ("hierarchy-44g", "hierarchy", {"trace.address": "wrap"}),
    "disk": ("nvc-hdd", "nvc", {"trace.address": "wrap"}),
}
TINY: dict[str, Any] = {"device": "tiny", "scheme": "baseline"}
OF_THE_MACHINE = {"sim", "provenance"}


class Drawn:
    """A run's document, without and with a timeline, its log, the timeline, and its table."""

    def __init__(self, name: str, trace: Path, top: Path) -> None:
        """Run it."""
        device, self.scheme, settings = RUNS[name]
        asked: dict[str, Any] = {"device": device, "scheme": self.scheme, "settings": settings}
        self.plain = slcache.run(trace, **asked, timeline=top / "t.parquet").to_dict()
        file = top / "t.pftrace"
        self.watched = slcache.run(trace, **asked, log=top / "log", timeline=file).to_dict()
        self.unwatched = slcache.run(trace, **asked).to_dict()
        table = pq.read_table(top / "log")
        self.about = json.loads(table.schema.metadata[b"slcache.requests"])
        self.log = {name: table[name].to_numpy() for name in table.column_names}
        self.parts = [
            key for key in self.log if key.startswith(("service_", "wait_")) and key != "service_ns"
        ]
        self.found = read(file)
        self.rows = pq.read_table(top / "t.parquet").to_pylist()


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("timeline") / "t.csv", mixed(600))


@pytest.fixture(scope="module", params=RUNS)
def drawn(
    request: pytest.FixtureRequest, trace: Path, tmp_path_factory: pytest.TempPathFactory
) -> Drawn:
    return Drawn(request.param, trace, tmp_path_factory.mktemp("drawn"))


def test_what_a_run_comes_to_does_not_depend_on_its_being_watched(drawn: Drawn) -> None:
    for key in ("host", "flash", "series", "wear", "scheme", "config", "waf"):
        assert drawn.unwatched[key] == drawn.watched[key] == drawn.plain[key], key
    busy: dict[str, int] = defaultdict(int)
    for each in drawn.found.on("channels"):
        busy[each.track] += each.end_ns - each.begin_ns
    assert busy
    assert all(ns <= drawn.watched["host"]["duration_ns"] * 2 for ns in busy.values())


def test_every_request_is_in_the_log_and_its_parts_add_up(drawn: Drawn) -> None:
    log, document = drawn.log, drawn.watched
    assert (log["request"] == np.arange(600)).all()
    assert (log["scheme"] == drawn.scheme).all()
    assert (sum(log[part] for part in drawn.parts) == log["latency_ns"]).all()
    assert (log["completion_ns"] - log["arrival_ns"] == log["latency_ns"]).all()
    assert (log["completion_ns"] - log["start_ns"] == log["service_ns"]).all()
    assert (log["arrival_ns"] <= log["admission_ns"]).all()
    # In the order of arrival, which is not that of completion.
    assert (np.diff(log["arrival_ns"]) >= 0).all()
    assert (np.diff(log["completion_ns"]) < 0).any() or drawn.scheme != "tlc-only"
    assert log["completion_ns"].max() == document["host"]["duration_ns"]
    assert drawn.about["config"] == document["config"]
    assert drawn.about["trace"]["sha256"] == document["trace"]["sha256"]
    assert drawn.about["provenance"]["config_hash"] == document["provenance"]["config_hash"]
    for side in ("read", "write"):
        mine, told = log["operation"] == side, document["host"][side]
        assert mine.sum() == told["requests"]
        assert log["sectors"][mine].sum() * 512 == told["bytes"]
        assert log["latency_ns"][mine].max() == round(told["latency_us"]["max"] * 1000)
        for part in drawn.parts:
            kind, cause = part.removesuffix("_ns").split("_", 1)
            us = told["attribution_us"][kind].get(cause.replace("_", "-"), 0.0)
            assert log[part][mine].sum() == round(us * 1000), part


def test_every_request_is_a_slice_with_its_parts(drawn: Drawn) -> None:
    log, found = drawn.log, drawn.found
    requests = sorted(found.on("requests"), key=lambda each: each.facts["request"])
    shown = [each.facts["request"] for each in requests]
    assert len(set(shown)) == len(shown)
    left_out = len(log["request"]) - len(shown)
    assert left_out == 0 or f"({left_out} of them" in requests[0].parent
    for row, each in zip(shown, requests, strict=True):
        assert each.begin_ns == log["arrival_ns"][row]
        assert each.end_ns == log["completion_ns"][row]
        assert each.name == log["operation"][row]
        told = {key: value for key, value in each.facts.items() if key in drawn.parts}
        assert told == {key: int(log[key][row]) for key in drawn.parts if log[key][row]}
        assert sum(told.values()) == each.end_ns - each.begin_ns


def test_operations_are_those_that_the_result_counts_and_the_table_has(drawn: Drawn) -> None:
    planes = drawn.found.on("planes")
    told = Counter(each.name for each in planes if "suspended" not in each.facts)
    counted: Counter[str] = Counter()
    for row in drawn.watched["flash"]["ops"]:
        counted[f"{row['mode']} {row['kind']} ({row['cause']})"] += row["count"]
    assert told == counted
    flash = [row for row in drawn.rows if row["plane"] >= 0]
    listed = Counter(
        (f"{r['mode']} {r['kind']} ({r['cause']})", r["begin_ns"], r["end_ns"]) for r in flash
    )
    assert listed == Counter((s.name, s.begin_ns, s.end_ns) for s in planes)
    disk = Counter((row["begin_ns"], row["end_ns"]) for row in drawn.rows if row["plane"] < 0)
    assert disk == Counter((s.begin_ns, s.end_ns) for s in drawn.found.on("disk"))
    # Nothing is asked for without a request, and no request is beyond those that came.
    assert {row["request"] for row in drawn.rows} <= {-1, *range(600)}
    assert all(row["block"] >= 0 for row in flash if row["kind"] == "erase")
    assert [row["end_ns"] for row in drawn.rows] == sorted(row["end_ns"] for row in drawn.rows)


def test_a_request_is_tied_to_operations_within_its_time(drawn: Drawn) -> None:
    found = drawn.found
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


def test_an_arrow_leads_from_what_was_in_the_way(drawn: Drawn) -> None:
    found = drawn.found
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


def test_a_block_that_is_emptied_is_a_decision(drawn: Drawn) -> None:
    found = drawn.found
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
    assert {each.parent for each in found.instants} <= {"decisions"}


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
        assert sum(counters[f"{region}: live"][-1][1] for region in regions) == 40 * 4096
        for region in regions:
            free, blocks = counters[f"{region}: free"], counters[f"{region}: blocks"]
            assert min(value for _, value in free) >= 0
            assert max(value for _, value in free) <= max(value for _, value in blocks)
            for values in (free, blocks, counters[f"{region}: live"]):
                assert [at for at, _ in values] == sorted(at for at, _ in values)
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
    slcache.run(trace, **TINY, log=tmp_path / "log")
    slowest = int(np.argmax(pq.read_table(tmp_path / "log")["latency_ns"].to_numpy()))
    for around in ("slowest", f"request={slowest}"):
        file = tmp_path / f"{around}.pftrace"
        slcache.run(trace, **TINY, timeline=file, timeline_around=around)
        requests = read(file).on("requests")
        longest = max(requests, key=lambda each: each.end_ns - each.begin_ns)
        assert longest.facts["request"] == slowest
        assert len(requests) < 600


def test_of_every_nth_request_the_operations_are_kept(tmp_path: Path, trace: Path) -> None:
    for file in ("1.parquet", "7.parquet", "7.pftrace"):
        slcache.run(trace, **TINY, timeline=tmp_path / file, timeline_every=int(file[0]))
    whole = pq.read_table(tmp_path / "1.parquet").to_pylist()
    some = pq.read_table(tmp_path / "7.parquet").to_pylist()
    assert some == [row for row in whole if row["request"] < 0 or row["request"] % 7 == 0]
    found = read(tmp_path / "7.pftrace")
    assert sorted(each.facts["request"] for each in found.on("requests")) == list(range(0, 600, 7))
    assert len(found.on("planes")) == len(some)
    asked: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "replay": "closed:8"}
    (tmp_path / "one").mkdir()
    asked["timeline"] = tmp_path / "one" / "t.parquet"
    slcache.run(trace, **asked, timeline_around="request=500", timeline_every=100)
    assert 500 in pq.read_table(asked["timeline"])["request"].to_pylist()
    asked["timeline"].unlink()
    for around in ("request=501", "slowest"):
        with pytest.raises(slcache.UsageError, match="leaves out request") as caught:
            slcache.run(trace, **asked, timeline_around=around, timeline_every=599)
        assert caught.value.key == "timeline_every"
        assert f"timeline_around = {around}" in str(caught.value)
        assert not list((tmp_path / "one").iterdir())


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
    # One at a time, to pages of their own: nothing waits and nothing is cleaned.
    rows = [(at * 2000, "Write", 4096 * (at % 50), 4096) for at in range(300)]
    trace = write_trace(tmp_path / "t.csv", rows)
    asked = {"device": "tiny", "timeline": tmp_path / "t.pftrace", "timeline_around": "cliff"}
    for scheme in ("tlc-only", "baseline"):
        with pytest.raises(slcache.UsageError, match="no write is followed by slower ones"):
            slcache.run(trace, **asked, scheme=scheme)


def test_a_stretch_of_time_is_what_overlaps_it(trace: Path, tmp_path: Path) -> None:
    least, most = 100_000_000, 200_000_000
    stretch: dict[str, Any] = {"timeline_from": "100ms", "timeline_until": "0.2s"}
    for kind in ("pftrace.gz", "parquet"):
        slcache.run(trace, **TINY, timeline=tmp_path / f"whole.{kind}")
        slcache.run(trace, **TINY, timeline=tmp_path / f"part.{kind}", **stretch)
    whole, part = (read(tmp_path / f"{name}.pftrace.gz") for name in ("whole", "part"))

    def kept(found: Read) -> list[tuple[Any, ...]]:
        return sorted(
            (each.parent, each.name, each.begin_ns, each.end_ns)
            for each in found.slices
            if each.parent != "channels" and each.end_ns >= least and each.begin_ns <= most
        )

    assert kept(part) == kept(whole)
    assert len(part.slices) < len(whole.slices) / 2
    every, some = (pq.read_table(tmp_path / f"{n}.parquet").to_pylist() for n in ("whole", "part"))
    assert some == [row for row in every if row["end_ns"] >= least and row["begin_ns"] <= most]
    assert 0 < len(some) < len(every)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"timeline": None, "from": "1s"}, "timeline is missing"),
        ({"timeline": None, "every": 2}, "timeline is missing"),
        ({"from": "soon"}, "from{}: 'soon' is not a number"),
        ({"from": "2s", "until": "1s"}, "until = 1s: must be later than {}from = 2s"),
        ({"around": "best"}, "must be slowest, cliff, or request=N"),
        ({"every": 0}, "between 1 and"),
        ({"around": "request=600"}, "the requests are 0 to 599"),
        ({"around": "slowest", "from": "1s"}, "around = slowest: tells from when until when"),
        ({"from": "1h"}, "nothing happens from 3600000000000 ns"),
        ({"timeline": "t.parquet", "from": "1h"}, "nothing happens from 3600000000000 ns"),
    ],
    ids=str,
)
def test_what_means_nothing_is_refused_by_the_name_that_it_has(
    said: dict[str, Any], told: str, trace: Path, cwd: Path
) -> None:
    """An argument in Python, an option on the command line."""
    own = {"timeline": "t.pftrace", **said}
    how = {key if key == "timeline" else f"timeline_{key}": value for key, value in own.items()}
    with pytest.raises(slcache.Error, match="timeline") as caught:
        slcache.run(trace, **TINY, **how)
    assert told.replace("from{}", "timeline_from").format("timeline_") in str(caught.value)
    words = [f"--{key}={value}" for key, value in own.items() if value is not None]
    for verb, schemes in (("run", "--scheme"), ("compare", "--schemes")):
        ended = run_slcache(verb, trace, "--device", "tiny", schemes, "baseline", *words)
        printed = " ".join(ended.stderr.decode().split())
        assert ended.returncode in (1, 2), printed
        assert told.replace("from{}", "--from").format("--") in printed
    assert not list(cwd.iterdir())


def test_compared_schemes_draw_the_same_request(trace: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"device": "tiny", "replay": "closed:8"}
    schemes = ["tlc-only", "baseline"]
    plain = slcache.compare(trace, schemes=schemes, **asked)
    for jobs in (1, 2):
        top = tmp_path / str(jobs)
        top.mkdir()
        files = {"log": top / "log.parquet", "timeline": top / "t.pftrace.gz"}
        how = {**asked, **files, "timeline_around": "request=500", "jobs": jobs}
        drawn = slcache.compare(trace, schemes=schemes, **how)
        for before, after, name in zip(plain.every_run, drawn.every_run, schemes, strict=True):
            one, other = before.to_dict(), after.to_dict()
            assert all(one[part] == other[part] for part in one if part not in OF_THE_MACHINE)
            log = pq.read_table(top / f"log-{name}.parquet").to_pydict()
            place = log["request"].index(500)
            requests = read(top / f"t-{name}.pftrace.gz").on("requests")
            mine = [s for s in requests if s.facts["request"] == 500]
            assert [(s.begin_ns, s.end_ns) for s in mine] == [
                (log["arrival_ns"][place], log["completion_ns"][place])
            ]
            assert len(requests) < 600
        assert len(list(top.iterdir())) == 4


@pytest.mark.parametrize(
    ("suffix", "opened"),
    [("pftrace.gz", "open it on ui.perfetto.dev"), ("parquet", "a table of operations")],
)
def test_pages_name_files_and_openers(
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
        assert all(f"{each['file']}: {opened}" in page for each in named)
    alone.save(tmp_path / "out")
    assert slcache.load(tmp_path / "out").report() == page
    assert slcache.rerun(tmp_path / "out").equal
    assert "Timelines" not in slcache.run(trace, device="tiny", scheme="baseline").report()


def test_a_folder_that_is_missing_is_told_before_anything_runs(trace: Path, tmp_path: Path) -> None:
    at = tmp_path / "nowhere" / "t.pftrace"
    words = ("compare", trace, "--device", "tiny", "--schemes", "baseline", "--timeline", at)
    for around in ([], ["--around", "slowest"]):
        ended = run_slcache(*words, *around)
        told = f"error: No such file or directory: {tmp_path}/nowhere/t-baseline.pftrace"
        assert (ended.returncode, ended.stderr.decode().strip()) == (1, told)
    trace = write_trace(tmp_path / "t.csv", [*mixed(300), (999, "Write", 1 << 40, 4096)])
    log = tmp_path / "requests.parquet"
    log.write_bytes(b"what was there before")
    how: dict[str, Any] = {"scheme": "baseline", "settings": {"trace.prefill": "none"}}
    with pytest.raises(slcache.TraceError):
        slcache.run(trace, device="tiny", **how, log=log)
    assert log.read_bytes() == b"what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["requests.parquet", "t.csv"]


@pytest.mark.long
def test_the_queries_of_the_docs_answer_what_they_show(cwd: Path) -> None:
    text = (ROOT / "docs/howto/query-operations.md").read_text(encoding="utf-8")
    (cwd / "examples").symlink_to(ROOT / "examples")
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


def test_the_window_asked_for_is_that_of_the_series(trace: Path) -> None:
    words = ("run", trace, "--device", "tiny", "--scheme", "baseline", "--json")
    document = json.loads(run_slcache(*words, "--window", "500us").stdout)
    series, columns = document["series"], document["series"]["columns"]
    assert series["window_ns"] == document["config"]["run"]["series_window_ns"] == 500_000
    assert columns["t_ns"][:3] == [0, 500_000, 1_000_000]
    reads = document["host"]["read"]
    assert sum(columns["read_requests"]) == reads["requests"]
    longest_ns = max(filter(None, columns["read_latency_ns_max"]))
    assert longest_ns == round(1000 * reads["latency_us"]["max"])
    done = run_slcache(*words, "--window", "10us")
    short = json.loads(done.stdout)["series"]
    assert short["window_ns"] > 10_000
    assert len(short["columns"]["t_ns"]) <= 65_536
    assert "the windows of the series last" in done.stderr.decode()
    assert "series_window_ns" not in json.loads(run_slcache(*words).stdout)["config"]["run"]
