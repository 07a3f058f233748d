"""The state and the set-up that a run begins with, and what is said of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import slcache
from slcache import simulation
from slcache.cli import simulate
from slcache.metrics import METRICS
from slcache.options import parsing
from slcache.reproduce import plan as plans
from slcache.reproduce.experiment import Experiment, twins
from slcache.sentences import notes
from support import json_of, mixed, stdout, write_trace
from support import slcache as command

#: Each form, and the keys that it stands for.
FORMS: dict[str, tuple[float, float, bool]] = {
    "empty": (0.0, 0.0, False),
    "full=0.5": (0.5, 0.0, False),
    "worn=0.9,0.3": (0.9, 0.3, False),
    "steady": (0.9, 0.0, True),
}
#: What differs from run to run, and where documents name their settings.
_OWN = ("sim", "provenance", "study", "out", "seconds", "wall_s", "cpu_s", "commands")
SCHEMES = ["tlc-only", "baseline"]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("states") / "mixed.csv", mixed(300))


@pytest.fixture(scope="module")
def both(trace: Path) -> slcache.Comparison:
    return slcache.compare(trace, device="tiny", schemes=SCHEMES)


def verb(name: str, trace: Path, out: Path) -> list[str]:
    """Return a command line of each verb that runs traces."""
    device = ["--device", "tiny"]
    varied = ["--vary", "scheme.baseline.slc.start_free_ratio=0.2,0.5", "--out", str(out)]
    return {
        "run": ["run", str(trace), *device, "--scheme", "baseline"],
        "compare": ["compare", str(trace), *device, "--schemes", "tlc-only,baseline"],
        "cliff": ["cliff", *device, "--schemes", "baseline", "--amount", "1MiB"],
        "sweep": ["sweep", str(trace), *device, "--scheme", "baseline", *varied, "--jobs", "1"],
        "tune": ["tune", str(trace), *device, "--scheme", "baseline", *varied, "--jobs", "1"],
    }[name]


VERBS = ("run", "compare", "cliff", "sweep", "tune")


def without(document: Any) -> Any:  # noqa: ANN401
    """Return a document without what differs from run to run."""
    if isinstance(document, dict):
        return {key: without(part) for key, part in document.items() if key not in _OWN}
    return [without(part) for part in document] if isinstance(document, list) else document


def figures(name: str, trace: Path, out: Path, said: list[str]) -> Any:  # noqa: ANN401
    """Return the document of a verb; of a study, the figures of its points."""
    done = json_of(*verb(name, trace, out), *said, "--json")
    if name not in ("sweep", "tune"):
        return without(done)
    table = pl.read_parquet(out / "points.parquet").to_dict(as_series=False)
    return {key: table[key] for key in METRICS if key in table}


@pytest.mark.parametrize(
    ("name", "form"),
    [*(("run", form) for form in FORMS), *((name, "worn=0.9,0.3") for name in VERBS[1:])],
)
def test_a_state_is_its_keys_said_first(name: str, form: str, trace: Path, tmp_path: Path) -> None:
    keys = zip(parsing.STATE_KEYS, FORMS[form], strict=True)
    settings = [f"--set={key}={json.dumps(value)}" for key, value in keys]
    one = figures(name, trace, tmp_path / "a", ["--state", form])
    assert one == figures(name, trace, tmp_path / "b", settings)
    done = command(*verb(name, trace, tmp_path / "a"), "--state", form)
    if name == "sweep":
        done = command("sweep", "show", tmp_path / "a")
    first = done.stdout.decode().splitlines()[0]
    assert first.startswith("tiny: ")
    assert "steady" in first or "too few writes" in first
    times = {"empty": "never overwritten", "full=0.5": "never overwritten"}
    assert times.get(form, "overwritten ") in first
    assert "left in it" in first.partition("SLC cache ")[2]
    if name in ("sweep", "tune"):
        assert first in (tmp_path / "a" / "report.html").read_text()


def test_python_takes_a_state(trace: Path, tmp_path: Path) -> None:
    keys = dict(zip(parsing.STATE_KEYS, FORMS["full=0.5"], strict=True))
    one = slcache.run(trace, device="tiny", scheme="baseline", state="full=0.5")
    other = slcache.run(trace, device="tiny", scheme="baseline", settings=keys)
    assert without(one.to_dict()) == without(other.to_dict())
    burst = slcache.cliff(device="tiny", schemes="baseline", amount_bytes=1 << 20, state="full=0.5")
    (_, result), *_ = burst.runs.values()
    assert result.documents[0]["config"]["precondition"]["fill"] == 0.5
    saved = tmp_path / "device.snap"
    base = verb("run", trace, tmp_path)
    first = command(*base, "--state", "worn=0.9,0.3", "--save-state", saved)
    done = command(*base, "--state", "empty", "--load-state", saved)
    assert done.returncode == 2
    assert "no effect on a saved state" in done.stderr.decode()
    # A saved state is still said, as the run that saved it said it.
    line, *_ = command(*base, "--load-state", saved).stdout.splitlines()
    assert line == first.stdout.splitlines()[0]
    assert b"overwritten 0.3 times" in line


def test_answers_begin_with_the_state(
    both: slcache.Comparison, trace: Path, tmp_path: Path
) -> None:
    line = notes.state_line(both.documents)
    page = both.report()
    assert page.index(line) < page.index("<table")
    run = both["baseline"]
    for shown, documents in ((both, both.documents), (run, run.documents)):
        assert " ".join(shown.summary().split()).startswith(notes.state_line(documents))
    paths = [tmp_path / scheme for scheme in SCHEMES]
    for path, one in zip(paths, both.runs, strict=True):
        one.save(path)
    for verb, more in (("report", ("--out", tmp_path / "page.html")), ("diff", ())):
        done = stdout(verb, *paths, *more)
        assert done.splitlines()[0].partition(";")[0] == line.partition(";")[0]


def written(pages: int, tmp_path: Path) -> slcache.Comparison:
    """Write so many pages in order to a cache of 96."""
    rows = [(i, "Write", 4096 * i, 4096) for i in range(pages)]
    trace = write_trace(tmp_path / f"{pages}.csv", rows)
    settings = {"trace.prefill": "none", "scheme.turbo-write.idle.threshold_ns": 60_000_000_000}
    how: dict[str, Any] = {"schemes": ["tlc-only", "turbo-write"], "settings": settings}
    return slcache.compare(trace, device="tiny", replay="closed:1", **how)


def test_a_verdict_on_a_cache_that_never_filled_says_so_first(tmp_path: Path) -> None:
    fits, over = written(96, tmp_path), written(104, tmp_path)
    assert fits.verdict()[0].startswith("No SLC cache was ever full here")
    assert "never full" not in " ".join(over.verdict())
    # Which may be long before it is full.
    assert " at most, reclaimed from " in str(notes.state_line(over.documents))
    assert fits.tables()[0].rows[1][-1].plain.startswith("384 / ")
    of_two = [("a", fits.documents[1]), ("b", over.documents[1])]
    assert notes.untested(of_two).startswith("The SLC cache of a was never full here")


@pytest.mark.parametrize(
    ("buffer_bytes", "told"),
    [
        (64 << 10, ""),
        (400 << 10, "The DRAM buffer of 400 KiB has room for 39.1 % of the 1.00 MiB written"),
        (2 << 20, "The DRAM buffer of 2.00 MiB has room for all of the 1.00 MiB written"),
    ],
)
def test_what_the_buffer_held_is_said_first(buffer_bytes: int, told: str, tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "t.csv", [(i, "Write", 4096 * i, 4096) for i in range(256)])
    settings = {"buffer.bytes": buffer_bytes}
    both = slcache.compare(trace, device="tiny", schemes=SCHEMES, settings=settings)
    states = verb("compare", trace, tmp_path)
    text = stdout(*states, "--set", f"buffer.bytes={buffer_bytes}", "--states")
    said = (both.verdict()[0], both.brief()[0], both.runs[0].notes()[0], both.runs[0].report())
    for each in (*said, text):
        assert told in each
        assert told or "The DRAM buffer" not in each
    # What the buffer holds whole never came to the cache.
    assert "ever full" not in both.verdict()[0]


@pytest.mark.parametrize("load", ['rw = "randread"', 'rw = "randwrite"\ntrim_share = 1.0'])
def test_what_writes_nothing_has_no_cache_to_fill(load: str, tmp_path: Path) -> None:
    jobs = tmp_path / "load.toml"
    jobs.write_text(f'footprint_bytes = "1MiB"\nrequests = 100\n[global]\nbs = "4k"\n{load}\n')
    schemes = ["tlc-only", "baseline", "turbo-write"]
    compared = slcache.compare(jobs, device="tiny", schemes=schemes)
    said = " ".join([*compared.verdict(), *compared.notes()])
    assert "ever full" not in said
    assert "differ in size" not in said


def test_drives_as_people_own_tell_of_their_state(both: slcache.Comparison) -> None:
    """Every preset of a drive says in its summary what the note looks for."""
    drives = [entry for entry in slcache.devices() if notes._DRIVE in entry["summary"]]
    assert len(drives) == 15
    known = {"summary": drives[0]["summary"], "name": "x"}
    documents = [{**d, "config": {**d["config"], "device": known}} for d in both.documents]
    assert "--states" in notes.unchosen(documents)
    assert notes.unchosen(both.documents) == ""
    filled = [{**d, "config": {**d["config"], "precondition": {"fill": 0.5}}} for d in documents]
    assert notes.unchosen(filled) == ""
    documents = [json.loads(json.dumps(document)) for document in both.documents]
    first, second = (d["host"]["write"]["latency_us"] for d in documents)
    first["mean"], second["mean"] = second["mean"], first["mean"]
    turned = slcache.Comparison([slcache.Result.made(d, None, ()) for d in documents])
    assert "Writes: the winner does not change" in simulate.sentences({"a": both, "b": both})[0]
    assert "Writes: the winner changes" in simulate.sentences({"a": both, "b": turned})[0]
    one = both.documents[1]
    config = one["config"]
    named = [
        {**one, "config": {**config, "device": {**config["device"], "name": name}}}
        for name in ("a", "b", "c", "d")
    ]
    assert notes.state_line(named[:3]).startswith("a, b and c: ")
    assert notes.state_line(named).startswith("4 devices: ")


@pytest.mark.parametrize(
    ("fresh", "worn", "told"),
    [
        ((1, 2, 3), (1, 9, 3), "winner does not change"),
        ((1, 2, 3), (1, 1, 3), "winner of one state ties"),
        ((1, 2, 3), (2, 2, 2), "winner of one state ties"),
        ((1, 1, 3), (2, 1, 1), "winner of one state ties"),
        ((2, 2, 2), (2, 2, 2), "winner does not change"),
        ((1, 2, 3), (2, 1, 3), "winner changes"),
        ((1, 1, 3), (2, 2, 1), "winner changes"),
    ],
)
def test_a_winner_changes_where_it_is_worse(
    fresh: tuple[int, ...], worn: tuple[int, ...], told: str, both: slcache.Comparison
) -> None:
    def compared(means: tuple[int, ...]) -> slcache.Comparison:
        runs = []
        for number, mean in enumerate(means):
            document = json.loads(both.runs[0].to_json())
            document["host"]["write"]["latency_us"]["mean"] = mean
            runs.append(slcache.Result.made(document, f"s{number}", ()))
        return slcache.Comparison(runs)

    first, *_ = simulate.sentences({"fresh": compared(fresh), "worn": compared(worn)})
    assert first.startswith(f"Writes: the {told}")


def test_two_states_stand_side_by_side(trace: Path) -> None:
    base = verb("compare", trace, Path())
    text = stdout(*base, "--states")
    assert [": tiny: " in line for line in text.splitlines()[:2]] == [True, True]
    found = simulation.in_states(str(trace), device="tiny", schemes=SCHEMES)
    assert list(found) == ["empty", parsing.WORN]
    assert all(line in text for line in simulate.sentences(found))
    # What is beside each other is what each state alone prints.
    for form, comparison in found.items():
        alone = slcache.compare(trace, device="tiny", schemes=SCHEMES, state=form)
        assert without(alone.to_dict()) == without(comparison.to_dict())
        table = alone.tables()[0]
        assert table.rows[1][table.columns.index("write\nmean")].plain in text
    assert list(json.loads(command(*base, "--states", "--json").stdout)["states"]) == list(found)


@pytest.mark.parametrize("schemes", [["tlc-only"], SCHEMES])
def test_what_is_told_of_states_is_of_all_their_runs(trace: Path, schemes: list[str]) -> None:
    """Where half were told, so would be half of the time that is left."""
    seen: list[tuple[int, int]] = []

    def see(phase: str, done: int, total: int) -> bool:
        if phase.startswith("runs"):
            seen.append((done, total))
        return True

    simulation.in_states(str(trace), device="tiny", schemes=schemes, on_progress=see)
    whole = 2 * len(schemes)
    assert {total for done, total in seen if done} == {whole}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert max(seen) == (whole if len(schemes) > 1 else whole - 1, whole)
    with pytest.raises(KeyboardInterrupt):
        simulation.in_states(
            str(trace), device="tiny", schemes=schemes, on_progress=lambda *_: False
        )


NAMES = [
    f"{paper}/{part.name}:{reading}"
    for paper in plans.papers()
    for plan in [plans.load(paper)]
    for part in plan.parts
    for reading in ["literal", *plan.reading]
]
FEW = ["--workload", "requests=5000"]


@pytest.mark.few(8)
@pytest.mark.parametrize("name", NAMES)
def test_a_set_up_is_what_the_evaluation_runs(name: str) -> None:
    found = plans.setup_of(name)
    paper, _, reading = name.partition(":")
    plan = plans.load(paper.partition("/")[0]).under(reading)
    part = plan.part(paper.partition("/")[2])
    # Smaller twins have a smaller device; grids and variants have settings of their own.
    inputs = [replace(each, reduced={}) for each in twins(plan, [w.name for w in plan.workloads])]
    own = {each.name for each in plan.variants} | {each.name for each in plan.grids}
    jobs = Experiment(plan, inputs, {part.name: [1]}).jobs
    plain = [job for job in jobs if job.name not in own and job.name in part.schemes]
    assert plain or own >= {*part.schemes}
    for job in plain:
        assert (job.run.device, job.run.replay) == (found.device, found.replay)
        assert dict(job.run.settings) == found.settings_for([job.run.scheme], job.input.path)


@pytest.mark.parametrize("reading", ["fast-clock", "chip"])
def test_ips_has_one_firmware_in_every_daily_part(reading: str) -> None:
    daily, coop = (
        plans.setup_of(f"ips/{part}:{reading}").settings for part in ("daily", "coop-daily")
    )
    idle, place = (("idle.threshold_ns",), ("placement",)) if reading == "chip" else ((), ())
    for key in ("placement", "reclaim_open", *idle):
        own = f"scheme.turbo-write.{key}"
        assert daily[own] == coop[own] == coop[f"scheme.ips-coop.{key}"], key
    for key in ("agc.eligible", "agc.min_invalid", *idle, *place):
        assert daily[f"scheme.ips-agc.{key}"] == coop[f"scheme.ips-coop.{key}"], key
    parts = ("daily", "coop-daily", "bursty", "coop-bursty")
    shapes = [plans.setup_of(f"ips/{part}:chip").settings for part in parts]
    for key in ("dies", "planes", "plane_parallelism"):
        assert len({read[f"device.pool.0.{key}"] for read in shapes}) == 1, key


def test_short_names_mean_the_first_part_and_the_literal_reading(tmp_path: Path) -> None:
    assert plans.setup_of("ips").name == "ips/bursty:literal"
    assert plans.setup_of("hierarchy:probable").name == "hierarchy/main:probable"
    for text, told in (
        ("nobody", "no paper 'nobody'; allowed: hierarchy, hyssd, ips, nvc, rl"),
        ("ips/dayly", "no part 'dayly'; allowed: bursty, daily, coop-bursty, coop-daily"),
        ("ips/", "no part ''"),
        ("hyssd:probable", "no reading 'probable'; allowed: literal"),
        ("ips:", "no reading ''"),
        ("", "no paper ''"),
    ):
        with pytest.raises(slcache.UsageError) as error:
            plans.setup_of(text)
        assert told in str(error.value)
        assert error.value.key == "reading"
    for name, clock in (("hierarchy-web_1", 0.01), ("hierarchy-lun2", 1.0)):
        run = ("run", name, *FEW, "--scheme", "baseline", "--reading", "hierarchy:fast-clock")
        done = command(*run, "--json", "--out", str(tmp_path / name))
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        assert document["provenance"]["reading"] == "hierarchy/main:fast-clock"
        assert document["config"]["host"]["time_scale"] == clock
        is_told = b"and hierarchy-lun2 is none of them" in b" ".join(done.stderr.split())
        assert is_told == (name == "hierarchy-lun2")
    # A whole configuration leaves no room for a reading.
    done = command(*run, "--config", str(tmp_path / name / "result.json"))
    assert done.returncode == 2
    assert b"leave reading out" in b" ".join(done.stderr.split())


def test_a_comparison_begins_with_the_papers_set_up_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = command(
        *("compare", "hierarchy-web_1", "--schemes", "baseline,sector", *FEW),
        *("--reading", "hierarchy:probable", "--set", "scheme.sector.merge.timeout_ns=7"),
        *("--set", "scheme.sector.merge.wait=timeout", "--seeds", "2", "--out", str(out), "--json"),
    )
    assert done.returncode == 0, done.stderr
    assert b"note: reading hierarchy/main:probable" in done.stderr
    runs = json.loads(done.stdout)["runs"]
    configs = {run["scheme"]["name"]: run["config"] for run in runs}
    assert {config["device"]["name"] for config in configs.values()} == {"hierarchy-44g-mqsim"}
    merge = configs["sector"]["scheme"]["sector"]["merge"]
    assert (merge["timeout_ns"], merge["acknowledge"]) == (7, "on-fill")
    assert configs["baseline"]["trace"]["address"] == "compact"
    found = slcache.load(out)
    assert isinstance(found, slcache.Comparison)
    for run in found.every_run:
        assert run.to_dict()["provenance"]["reading"] == "hierarchy/main:probable"
    assert "Reading hierarchy/main:probable." in (out / "report.html").read_text("utf-8")
    # What is repeated from a result began with the same.
    assert slcache.rerun(out).equal


@pytest.mark.parametrize("name", [*VERBS, "why", "bound", "bound of a trace", "fit"])
def test_the_first_line_tells_the_device_and_its_state(
    name: str, trace: Path, tmp_path: Path
) -> None:
    out, log = tmp_path / "out", tmp_path / "log.parquet"
    fill = ("fit", "examples/fit/fill_bw.1.log", "--user", "32GB", "--bits", "3")
    words = {
        "why": ["why", str(log)],
        "bound": ["bound", str(trace), "--device", "tiny"],
        "bound of a trace": ["bound", str(trace)],
        "fit": [*fill, "--out", str(tmp_path / "tiny.toml")],
    }
    run = ""
    if name == "why":
        run = stdout(*verb("run", trace, out), "--log", log, "--state", "worn=0.8,0.2")
    first = stdout(*words.get(name) or verb(name, trace, out)).splitlines()[0]
    told = {
        "why": run.partition("\n")[0],
        "bound": "no run: a bound of whatever scheme, in whatever state",
        "bound of a trace": "no device and no run: a bound of",
        "fit": "erased before the fill, never overwritten, not steady",
    }
    assert first.startswith("no device" if name == "bound of a trace" else "tiny: ")
    assert told.get(name, "never overwritten, ") in first
    assert name in told or "steady" in first
