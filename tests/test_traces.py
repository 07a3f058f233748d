"""What verbs say of traces, workloads and twins, and what of them goes through files."""

from __future__ import annotations

import json
import math
import random
import tomllib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

import slcache as package
import support
from slcache import trace as traces
from slcache.options import parsing
from slcache.trace import comparison, twins
from support import EPOCH, TICKS_PER_MS, json_of, line, mixed, process, slcache, stdout, write_trace

KIB = 1024
#: Ten writes of 4 KiB to one page, then two to others, one of 16 KiB over them all, two reads.
ROWS = [
    *((i, "Write", 0, 4 * KIB) for i in range(10)),
    (2_000, "Write", 4 * KIB, 4 * KIB),
    (2_001, "Write", 8 * KIB, 4 * KIB),
    (2_002, "Write", 0, 16 * KIB),
    (2_003, "Read", 16 * KIB, 4 * KIB),
    (2_004, "Read", 1_024 * KIB, 8 * KIB),
]
RESPONSE_TICKS = 2 * TICKS_PER_MS


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace whose figures follow from ROWS by hand; every request took 2 ms."""
    path = tmp_path_factory.mktemp("info") / "known.csv"
    lines = (line(EPOCH + ms * TICKS_PER_MS, op, at, size) for ms, op, at, size in ROWS)
    path.write_text("".join(text.rstrip("0\n") + f"{RESPONSE_TICKS}\n" for text in lines))
    return path


def info(trace: Path, *arguments: str | Path) -> dict[str, Any]:
    """Return the JSON document of `trace info`, which is as its schema says."""
    done = slcache("trace", "info", trace, "--json", *arguments)
    assert done.stderr == b""
    document: dict[str, Any] = json.loads(done.stdout)
    support.validator("trace-info").validate(document)
    return document


@pytest.fixture(scope="module")
def told(known: Path) -> dict[str, Any]:
    """What is said of it."""
    return info(known, "--expect", "requests=15")


FIGURES = {
    "requests": 15,
    "write_share": 13 / 15,
    "mean_write_bytes": 4 * KIB * 16 / 13,
    "p50_write_bytes": 4 * KIB,
    "p99_write_bytes": 16 * KIB,
    "written_4kib_pages": 4,
    "touched_4kib_pages": 7,
    "read_first_share": 3 / 7,
    "update_ratio": 12 / 16,
    "update_writes": 10,
    "update_writes_up_to_4kib_share": 0.9,
    "sequential_share": 3 / 15,
    "mean_run_requests": 15 / 12,
    "duration_s": 2.004,
    "short_gap_runs": 11 / 12,
    "short_pause_runs": 0,
    "mean_burst_requests": 7.5,
    "median_burst_requests": 10,
    "write_after_write_share": 12 / 13,
    "overwriting_writes": 9,
    "repeated_extent_share": 1,
    "writers_per_16kib_page": 1,
    # Two bursts write 40 and 24 KiB; sizes are told to the end of a class of 1/16.
    "median_burst_write_bytes": 42 * KIB - 1,
    # Of twelve rewrites ten come at once, one behind a page and one behind two.
    "rewrite_distance_p50_bytes": 0,
    "rewrite_distance_p90_bytes": 4.25 * KIB - 1,
    "phase_write_share_spread": math.sqrt(13 * 2) / 15,
}


def test_figures_are_those_counted_by_hand(told: dict[str, Any]) -> None:
    assert {name: told[name] for name in FIGURES} == pytest.approx(FIGURES, rel=1e-12)
    hot = {entry["pages_share"]: entry for entry in told["hot_set"]["hottest"]}
    # Four pages were written 11, 2, 2 and 1 times; half of them is the first two.
    assert hot[0.5]["write_share"] == pytest.approx(13 / 16)
    assert hot[1.0]["access_share"] == 1
    response = told["response"]
    assert response["requests"] == 15
    assert response["write_us"]["p99_9"] == pytest.approx(2_000, rel=1e-3)
    assert response["mean_queue_depth"] == pytest.approx(15 * 0.002 / 2.004)
    gaps = told["interarrival"]
    assert gaps["us"]["p50"] == pytest.approx(1_000, rel=1e-3)
    assert gaps["us"]["max"] == 1_991_000
    over_1s = next(idle for idle in gaps["idle"] if idle["over_us"] == 1_000_000)
    assert (over_1s["gaps"], over_1s["time_s"]) == (1, 1.991)
    assert over_1s["share"] == pytest.approx(1.991 / 2.004)
    assert sum(decade["gaps"] for decade in gaps["decades"]) == len(ROWS) - 1
    classes = told["gap_classes"]
    filled = {c.get("to_ns"): (c["share"], c["mean_ns"]) for c in classes if c["share"]}
    assert filled == {10**6: (13 / 14, 1e6), None: (1 / 14, 1_991e6)}
    assert [c.get("to_ns") for c in classes] == [*(10**p for p in range(4, 10)), None]
    for side in ("read", "write"):
        count = told[f"{side}s"]
        assert sum(told["timeline"][f"{side}_requests"]) == count
        assert sum(told["timeline"][f"{side}_bytes"]) == told[f"{side}_bytes"]
        assert sum(told["address_map"][f"{side}s"]) == count
        assert sum(bucket[f"{side}s"] for bucket in told["size_histogram"]) == count


def test_volumes_side_by_side_have_figures_of_their_own(tmp_path: Path) -> None:
    trace = tmp_path / "two.csv"
    one, two = (line(EPOCH + i, "Write", 4096 * i, 4096) for i in (0, 1))
    trace.write_text(one + two.replace("test", "other") + two)
    streams = info(trace, "--volume", "each")["streams"]
    found = [(s["volume"], s["requests"], s["sequential_share"]) for s in streams]
    assert found == [("test_0", 2, 0.5), ("other_0", 1, 0.0)]


def test_two_traces_side_by_side(known: Path, tmp_path: Path) -> None:
    half = tmp_path / "half.csv"
    half.write_text("".join(known.read_text().splitlines(keepends=True)[:10]))
    document = info(known, "--against", half)
    assert document["against"]["file"] == str(half)
    rows = {row["name"]: row for row in document["against"]["figures"]}
    assert (rows["requests"]["value"], rows["requests"]["ratio"]) == (15, 10 / 15)
    assert rows["write_share"]["difference"] == pytest.approx(1 - 13 / 15)
    assert (rows["mean_read_bytes"]["against"], rows["mean_read_bytes"]["ratio"]) == (None, None)
    assert rows["gap_classes[6].share"]["difference"] == pytest.approx(-1 / 14)
    document = info(known, "--against", "zipf-4k", "--against-option", "workload.requests=100")
    rows = {row["name"]: row for row in document["against"]["figures"]}
    assert rows["requests"]["against"] == 100
    other = tmp_path / "other.trace"
    other.write_text("0 0 8 8 1\n1000 0 16 8 0\n")
    document = info(known, "--against", other, "--against-option", "format=mqsim")
    assert document["against"]["figures"][0]["against"] == 2
    larger = [(ms, op, 4 * at, 4 * size) for ms, op, at, size in ROWS]
    other = write_trace(tmp_path / "larger.csv", larger)
    warnings = info(known, "--against", other)["against"]["warnings"]
    assert any(text.startswith("mean write") and text.endswith("latency") for text in warnings)
    assert not any("page writes" in text for text in warnings)
    shown = slcache("trace", "info", known, "--against", other).stdout
    assert warnings[0].split()[0].encode() in shown
    assert info(known, "--against", known)["against"]["warnings"] == []


@pytest.mark.parametrize(
    ("figures", "agree"),
    [
        ("requests=15", True),
        ("requests=16", False),
        ("requests=16~1", True),
        ("write_share=0.867,mean_write_kib=4.92", True),
        ("write_percent=86.7", True),
        ("write_percent=86.6", False),
        ("write_percent=86.6~0.5%", True),
        ("interarrival.us.p50=1000~0.2%", True),
        ("duration_ms=2004", True),
    ],
)
def test_expected_figures_decide_the_status(known: Path, figures: str, agree: bool) -> None:
    done = slcache("trace", "info", known, "--expect", figures)
    assert (done.returncode, "is off" in done.stdout.decode()) == (1 - agree, not agree)


def test_the_digits_printed_are_the_tolerance() -> None:
    tolerances = [figure.tolerance for figure in comparison.parse("a=0.701,b=12,c=1.5e3,d=8~2%")]
    assert tolerances == pytest.approx([0.0005, 0.5, 50, 0.16])


def test_the_shortest_trace_has_a_picture(tmp_path: Path) -> None:
    trace = tmp_path / "short.csv"
    trace.write_text(line(EPOCH, "Read", 0, 4096))
    assert info(trace, "--picture", tmp_path / "short.png")["requests"] == 1
    assert (tmp_path / "short.png").stat().st_size > 1_000
    package.Trace(trace).picture(tmp_path / "short.html")
    assert (tmp_path / "short.html").read_text().startswith("<!doctype html>")
    write_trace(tmp_path / "zipf-4k", mixed(20))
    assert package.Trace(tmp_path / "zipf-4k").info()["requests"] == 20


if TYPE_CHECKING:
    from slcache._core import View, Write


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"skip": "10", "take": "30"},
        {"from_ns": "20us", "to_ns": "60us"},
        {"take": "10", "copies": "3"},
        {"time_scale": "1/3"},
        {"resample": "1"},
    ],
    ids=str,
)
def test_a_part_of_a_part_is_of_what_the_options_of_the_reader_leave(
    options: dict[str, str], tmp_path: Path
) -> None:
    source = tmp_path / "t.csv"
    source.write_text("".join(f"{i * 1000} 0 {i} 1 0\n" for i in range(100)))
    trace = package.Trace(source, "mqsim", options)

    def sectors(take: int | None = None, copies: str | None = None) -> list[int]:
        path, text = tmp_path / "p.parquet", tmp_path / "p.txt"
        traces.cut(trace, path, take=take, copies=copies)
        package.Trace(path).convert(text, to="ssdsim", lossy=["label"])
        return [int(line.split()[2]) for line in text.read_text().splitlines()]

    whole = sectors(copies="1")
    assert len(whole) == trace.info()["requests"]
    assert sectors(take=5) == whole[:5]
    assert sectors(copies="5/2") == (whole * 3)[: len(whole) * 5 // 2]


def test_lint_names_options_as_the_command_line_does(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    rows = ("20,a,0,Read,0,4096,0", "10,a,0,Read,0,4096,0", "30,a,1,Read,0,4096,0")
    trace.write_text("\n".join((*rows, "40,a,0,Read,0,0,0", "")))
    told = slcache("trace", "lint", trace, "--json").stdout.decode()
    assert all(f"--{name}" in told for name in ("unsorted", "volume", "trace-option zero_size="))
    assert " = " not in told


def test_a_trace_on_standard_output_is_nothing_else(trace: Path) -> None:
    done = process("trace", "convert", trace, trace, "-o", "-", "--as", "msr", "--json")
    assert len(done.stdout.splitlines()) == 800
    assert json.loads(done.stderr)["outputs"][0]["requests"] == 800


SIZES = {"4096": 4096, "4k": 4096, "1.5KiB": 1536, "2GB": 2 * 10**9, "1 T": 1 << 40}
TIMES = {"10us": 10_000, "1.5 ms": 1_500_000, "0.1µs": 100, "2min": 120 * 10**9, "0s": 0}


def test_sizes_and_times_are_read_exactly_or_refused() -> None:
    assert {text: parsing.size_bytes(text) for text in SIZES} == SIZES
    assert {text: parsing.time_ns(text) for text in TIMES} == TIMES
    for text in ("", "k", "-4k", "4x", "0.3", "1e3", "4 k k", "4KB"):
        with pytest.raises(ValueError, match=r"size|number"):
            parsing.size_bytes(text)
    for text in ("", "5", "1.5ns", "3 weeks", "-1s"):
        with pytest.raises(ValueError, match=r"time|number"):
            parsing.time_ns(text)


#: Writes of 4 KiB to pages 0, 1, 2, ... with these hints, each in turn.
HINTS = (0, 1, 17, 255)
COLUMNS = {
    **{"format": "generic", "header": "true", "op": "op", "hint": "hint"},
    **{"time": "at", "time_unit": "ms"},
    **{"address": "sector", "address_unit": "sector", "size": "sectors", "size_unit": "sector"},
}


class ByHint(package.Scheme):
    """Has a place for what comes with its hint, and none for anything else."""

    regions: ClassVar = {"slc": package.slc(1), "dense": package.dense()}

    def place(self, write: Write, view: View) -> str:
        """Return a region where the hint is that of the page."""
        return "dense" if write.hint == HINTS[write.page % 4] else "none"


@pytest.fixture
def hinted(tmp_path: Path) -> Path:
    path = tmp_path / "hints.csv"
    rows = (f"{page},{8 * page},8,W,{HINTS[page % 4]}" for page in range(100))
    path.write_text("at,sector,sectors,op,hint\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("buffer", [{}, {"buffer.bytes": 16384}])
def test_a_scheme_sees_the_hint(hinted: Path, buffer: dict[str, object]) -> None:
    kept = hinted.with_name("kept.parquet")
    package.Trace(hinted, options=COLUMNS).convert(kept)
    how: dict[str, Any] = {"device": "tiny", "scheme": ByHint, "settings": buffer}
    package.run(hinted, trace_options=COLUMNS, **how)
    package.run(kept, **how)
    without = {key: value for key, value in COLUMNS.items() if key != "hint"}
    with pytest.raises(package.RunError, match="none"):
        package.run(hinted, trace_options=without, **how)


def test_hints_are_counted_and_lost_by_name_alone(hinted: Path) -> None:
    options = [f"--trace-option={key}={value}" for key, value in COLUMNS.items()]
    document = json.loads(slcache("trace", "info", hinted, "--json", *options).stdout)
    each = {"writes": 25, "write_bytes": 25 * 4096}
    assert document["hints"] == [{"hint": hint, **each} for hint in HINTS]
    assert "hints of the writes" in twins.not_carried(document)
    to = [*f"trace convert {hinted} -o {hinted}.out --as mqsim".split(), *options]
    refused = slcache(*to)
    assert refused.returncode == 4
    assert b'--lossy "hint"' in refused.stderr
    assert slcache(*to, "--lossy", "hint").returncode == 0


TWIN = """
name = "small"
[twin]
of = "vol_9"
from = "Somebody, Table I"
requests = 2000
write_share = 0.75
mean_write_bytes = "8KiB"
max_write_bytes = "16KiB"
mean_read_bytes = "4KiB"
max_read_bytes = "4KiB"
footprint_written_bytes = "1MiB"
update_skew = 0.5
duration_ns = "2s"
[twin.free.max_write_bytes]
reason = "assumed"
sweep = ["16KiB", "32KiB"]
[twin.free.max_read_bytes]
reason = "assumed"
sweep = ["4KiB"]
[twin.free.update_skew]
reason = "assumed"
sweep = [0, 0.5]
"""
LABEL = "twin of vol_9 (Somebody, Table I)"
RUN = ("--device", "tiny", "--scheme", "baseline")


@pytest.fixture
def twin(tmp_path: Path) -> Path:
    """A twin small enough for the tiny device."""
    path = tmp_path / "twin.toml"
    path.write_text(TWIN)
    return path


def run(trace: Path | str, *arguments: str) -> dict[str, Any]:
    """Run baseline on the tiny device; return the JSON document."""
    document: dict[str, Any] = json_of("run", trace, *RUN, "--json", *arguments)
    return document


def test_a_twin_says_what_is_given_and_what_is_free(twin: Path) -> None:
    figures = package.workload(twin)["figures"]
    assert figures["write_share"]["state"] == "given"
    assert figures["update_skew"]["state"] == "free"
    text = slcache("trace", "workloads", twin).stdout.decode()
    assert LABEL in text
    assert "assumed (0, 0.5)" in text
    assert run(twin, "--workload", "requests=500")["trace"]["requests"] == 500
    endless = run("uniform-4k", "--workload", "requests=50", "--workload", "footprint_bytes=1MiB")
    assert endless["trace"]["requests"] == 50


@pytest.mark.usefixtures("undrawn")
def test_a_twin_is_called_a_twin_in_every_output(twin: Path, tmp_path: Path) -> None:
    assert LABEL in stdout("run", twin, *RUN, "--out", tmp_path / "out")
    result = package.run(twin, device="tiny", scheme="baseline")
    assert result.to_dict()["trace"]["label"] == LABEL
    assert LABEL in result.summary()
    assert LABEL in (tmp_path / "out" / "report.html").read_text().split("<table")[0]
    assert LABEL in result.plot_series().to_json()
    assert LABEL in slcache("trace", "info", twin).stdout.decode()
    recording = write_trace(tmp_path / "t.csv", mixed(20))
    assert run(recording)["trace"]["label"] is None
    assert "workload:" not in slcache("run", recording, *RUN).stdout.decode()


def test_running_a_workload_is_running_its_file(twin: Path, tmp_path: Path) -> None:
    package.generate(twin, tmp_path / "twin.parquet", seed=9)
    at_once, from_file = (run(trace, "--seed", "9") for trace in (twin, tmp_path / "twin.parquet"))
    assert at_once["host"] == from_file["host"]
    assert at_once["trace"]["label"] == from_file["trace"]["label"] == LABEL
    sums = set()
    for seed in (3, 4):
        both = package.compare(twin, device="tiny", schemes=["tlc-only", "baseline"], seed=seed)
        (drawn,) = {document["trace"]["sha256"] for document in both.documents}
        assert LABEL in both.summary()
        sums.add(drawn)
    assert len(sums) == 2


def test_a_trace_is_checked_against_what_a_twin_was_given(twin: Path, tmp_path: Path) -> None:
    package.generate(twin, tmp_path / "t.parquet")
    stdout("trace", "info", tmp_path / "t.parquet", "--expect", twin)
    names = {figure.name for figure in comparison.of_workload(package.workload(twin))}
    assert {"requests", "write_share", "footprint_written_bytes"} <= names
    assert "update_skew" not in names
    other = write_trace(tmp_path / "other.csv", mixed(300))
    assert slcache("trace", "info", other, "--expect", twin).returncode == 1


def test_a_workload_without_end_is_bounded_by_what_python_is_told(tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "scheme": "baseline", "address": "wrap"}
    bound = {"requests": 9}
    options = {f"workload.{key}": str(value) for key, value in bound.items()}
    vary = {"device.mu_bytes": [4096]}
    acts: list[tuple[Any, dict[str, Any]]] = [
        (partial(package.run, "zipf-4k", **how), {"trace_options": options}),
        (partial(package.sweep, "zipf-4k", **how, vary=vary), {"trace_options": options}),
        (partial(package.trace.info, "zipf-4k"), {"trace_options": options}),
        (partial(package.generate, "zipf-4k", tmp_path / "t.parquet"), {"overrides": bound}),
    ]
    for act, bounded in acts:
        with pytest.raises(package.Error, match="the workload has no end") as refused:
            act()
        told = str(refused.value)
        assert 'option "workload.requests": "1000000" or "workload.duration_ns": ' in told
        assert 'of generate by overrides={"requests": 1000000}' in told
        assert act(**bounded)


@pytest.fixture
def bursts(tmp_path: Path) -> Path:
    """Twelve bursts of 40 requests a second apart, over hot and fresh data."""
    rng, rows, fresh = random.Random(3), [], 1 << 30
    for second in range(12):
        for place in range(40):
            fresh += 16 * KIB
            at = rng.randrange(8) * 64 * KIB if place % 2 else fresh
            op = "Write" if rng.random() < 0.7 else "Read"
            rows.append((1000 * second + place, op, at, 4 * KIB))
    return write_trace(tmp_path / "bursts.csv", rows)


def test_a_twin_by_blocks_has_the_figures(bursts: Path, tmp_path: Path) -> None:
    """What the options do is asked where blocks are put in order."""
    made, again = tmp_path / "made.parquet", tmp_path / "again.parquet"

    def twin(*arguments: str, **parameters: Any) -> dict[str, Any]:  # noqa: ANN401
        own = ("--by", "blocks", "--block-requests", "9", *arguments)
        stdout("trace", "twin", bursts, "-o", made, *own)
        package.Trace(bursts).twin_by_blocks(again, block_requests=9, **parameters)
        assert made.read_bytes() == again.read_bytes()
        return package.Trace(made).info()

    before, after = package.Trace(bursts).info(), twin()
    assert after["summary"]["label"].startswith("twin of bursts.csv")
    same = ("requests", "write_share", "write_bytes", "duration_s", "gap_size_coupling")
    assert [after[name] for name in same] == pytest.approx([before[name] for name in same])
    assert after["touched_4kib_pages"] == pytest.approx(before["touched_4kib_pages"], rel=0.05)
    assert not [told for told in comparison.warnings(before, after) if "update" in told]
    long = twin("--requests", "3000", "--footprint", "1MiB", requests=3000, footprint_bytes=1 << 20)
    assert (long["requests"], long["end_address_bytes"] <= 1 << 20) == (3000, True)
    other = ("--seed", "7", "--stages", "99", "--regions", "kept", "--places", "drawn")
    kept = twin(*other, "--pause", "1ms", seed=7, stages=99, regions="kept", places="drawn",
                pause_ns=10**6)  # fmt: skip
    assert kept["requests"] == before["requests"]
    text = f"--by blocks --block-requests 9 -o {made}.csv --as generic --lossy label,volume"
    assert slcache("trace", "twin", bursts, *text.split()).returncode == 0


EXAMPLE = Path(__file__).parent.parent / "examples" / "linkbench-40s.blkparse.zst"


@pytest.mark.long
def test_the_twin_of_the_shipped_trace_has_its_figures(tmp_path: Path) -> None:
    twin = tmp_path / "linkbench.toml"
    done = slcache("trace", "twin", EXAMPLE, "-o", twin)
    assert (done.returncode, done.stderr) == (0, b"")
    hot = []
    for trace in (EXAMPLE, twin):
        document = package.Trace(trace).info()
        findings = comparison.check(document, comparison.of_workload(package.workload(twin)))
        assert len(findings) > 15
        # What pages are from in the end is settled on the first requests of a twin.
        assert [f for f in findings if not f.agrees and f.name != "writers_per_16kib_page"] == []
        writers = next(f for f in findings if f.name == "writers_per_16kib_page")
        assert writers.found == pytest.approx(writers.expected, rel=0.1)
        hottest = document["hot_set"]["hottest"]
        hot.append(next(entry for entry in hottest if entry["pages_share"] == 0.1))
    # The skews fit the hot set.
    assert hot[1]["write_share"] == pytest.approx(hot[0]["write_share"], abs=0.05)
    text = twin.read_text()
    assert set(tomllib.loads(text)["twin"]["free"]) == {"update_skew", "read_skew"}
    lacks = text.split("# What it does not carry:")[1]
    assert all(told in lacks for told in ("flushes", "trims", "phases"))


def test_figures_that_conflict_are_left_out_and_named(tmp_path: Path) -> None:
    # Pages that are only read make up less than one request of 16 KiB.
    writes = [(i, "Write", i % 8 * 16_384, 16_384) for i in range(40)]
    rows = [*writes, (200, "Read", 0, 16_384), (201, "Read", 1 << 20, 4096)]
    trace = write_trace(tmp_path / "few.csv", rows)
    report = package.Trace(trace).twin(tmp_path / "few.toml")
    assert "less than one request" in report["given_up"]["footprint_touched_bytes"]
    assert "footprint_touched_bytes" not in report["figures"]
    assert "less than one request" in (tmp_path / "few.toml").read_text()
    assert slcache("trace", "info", tmp_path / "few.toml").returncode == 0
    rows = [(n, "Read", 4096 * n, 4096) for n in range(300)]
    trace = write_trace(tmp_path / "one_run.csv", rows)
    done = slcache("trace", "twin", trace, "--out", tmp_path / "none.toml")
    told = "error: measured in one_run.csv: no twin can be made: twin.sequential_share: 0 conflicts"
    assert (done.returncode, done.stderr.decode().startswith(told)) == (4, True), done.stderr
    name = 'say "hi" back\\slash line\nbreak \U0001f600é \x7f.csv'
    trace = write_trace(tmp_path / name, mixed(50))
    done = json_of("trace", "twin", trace, "-o", tmp_path / "twin.toml", "--json")
    assert done["from"] == f"measured in {name}"
    assert slcache("trace", "workloads", tmp_path / "twin.toml").returncode == 0


@pytest.mark.parametrize(
    ("action", "event"), [(None, "issue"), ("D", "issue"), ("C", "completion")]
)
def test_a_run_says_which_event_its_requests_are(
    action: str | None, event: str, tmp_path: Path
) -> None:
    """Also where no option chose it; a format with one event has none to name."""
    trace = tmp_path / "t.blkparse"
    trace.write_text("".join(f"8,0 0 1 0.{i} 7 {e} W 8 + 8 [a]\n" for i, e in enumerate("DC")))
    options = {} if action is None else {"action": action}
    for path, said, known in (
        (trace, options, event),
        ("zipf-4k", {"workload.requests": "50"}, None),
    ):
        run = package.run(
            path, device="tiny", scheme="tlc-only", address="wrap", trace_options=said
        )
        assert run.documents[0]["trace"].get("event") == known
        assert package.Trace(path, options=said).info()["event"] == known
