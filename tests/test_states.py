"""The state before a run and of its cache: said first, chosen in a word, and true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import comparing
from slcache.cli import simulate
from slcache.documents.normalise import slc_row_bytes
from slcache.drives import fills
from slcache.errors import ConfigError, UsageError
from slcache.given import quantity
from slcache.metrics import METRICS
from slcache.sentences import state
from support import mixed, write_trace
from support import slcache as command

#: Each form, and the keys that it stands for.
FORMS: dict[str, tuple[float, float, bool]] = {
    "empty": (0.0, 0.0, False),
    "full=0.5": (0.5, 0.0, False),
    "worn=0.9,0.3": (0.9, 0.3, False),
    "steady": (0.9, 0.0, True),
}
#: Beside what is said by the clock, and where the documents name their settings.
_OWN = ("sim", "provenance")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_trace(tmp_path_factory.mktemp("states") / "mixed.csv", mixed(300))


def settings_of(form: str) -> list[str]:
    keys = zip(quantity.KEYS, FORMS[form], strict=True)
    return [f"--set={key}={json.dumps(value)}" for key, value in keys]


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


def figures(name: str, trace: Path, out: Path, said: list[str]) -> Any:  # noqa: ANN401
    """Return the document of a verb without what differs from run to run."""
    done = command(*verb(name, trace, out), *said, "--json")
    assert done.returncode == 0, done.stderr
    return without(json.loads(done.stdout))


def without(document: Any) -> Any:  # noqa: ANN401
    if isinstance(document, dict):
        mine = (*_OWN, "study", "out", "seconds", "wall_s", "cpu_s", "commands")
        return {key: without(part) for key, part in document.items() if key not in mine}
    return [without(part) for part in document] if isinstance(document, list) else document


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["run", "compare", "cliff"])
def test_a_state_is_the_keys_that_it_stands_for(
    name: str, form: str, trace: Path, tmp_path: Path
) -> None:
    one = figures(name, trace, tmp_path / "a", ["--state", form])
    assert one == figures(name, trace, tmp_path / "b", settings_of(form))


@pytest.mark.parametrize("name", ["sweep", "tune"])
def test_a_study_of_a_state_has_the_same_points(name: str, trace: Path, tmp_path: Path) -> None:
    import polars as pl

    tables = []
    for folder, said in (("a", ["--state", "worn=0.9,0.3"]), ("b", settings_of("worn=0.9,0.3"))):
        done = command(*verb(name, trace, tmp_path / folder), *said)
        assert done.returncode == 0, done.stderr
        table = pl.read_parquet(tmp_path / folder / "points.parquet").to_dict(as_series=False)
        tables.append({key: table[key] for key in METRICS if key in table})
    assert tables[0] == tables[1]
    assert all(share is None or share >= 0.9 for share in tables[0].get("full_share", ()))


def test_python_takes_a_state(trace: Path) -> None:
    keys = dict(zip(quantity.KEYS, FORMS["full=0.5"], strict=True))
    one = slcache.run(trace, device="tiny", scheme="baseline", state="full=0.5")
    other = slcache.run(trace, device="tiny", scheme="baseline", settings=keys)
    assert without(one.to_dict()) == without(other.to_dict())
    burst = slcache.cliff(device="tiny", schemes="baseline", amount_bytes=1 << 20, state="full=0.5")
    (_, result), *_ = burst.runs.values()
    assert result.documents[0]["config"]["precondition"]["fill"] == 0.5


WRONG = (
    *("full", "full=", "full=0", "full=1.1", "full=x", "worn=0.9", "worn=0.9,0", "worn=0.9,101"),
    *("worn=0.9,0.3,1", "empty=1", "steady=0.9", "fresh", "full=nan", "full=0.5,0.5", "worn"),
)


@pytest.mark.parametrize("name", VERBS)
def test_what_is_no_state_is_refused_by_every_verb(name: str, trace: Path, tmp_path: Path) -> None:
    for text in WRONG:
        done = command(*verb(name, trace, tmp_path), f"--state={text}")
        assert done.returncode == 2, (text, done.stderr)
        assert "--state" in done.stderr.decode()
        assert repr(text) in done.stderr.decode()


@pytest.mark.parametrize("key", quantity.KEYS)
@pytest.mark.parametrize("name", VERBS)
def test_a_state_beside_its_keys_is_refused(
    name: str, key: str, trace: Path, tmp_path: Path
) -> None:
    said = ["--state", "worn=0.9,0.3", f"--set={key}=0.5"]
    done = command(*verb(name, trace, tmp_path), *said)
    told = done.stderr.decode()
    assert done.returncode == 2, told
    assert "worn=0.9,0.3" in told
    assert key in told
    assert "0.5" in told


def test_a_state_beside_a_saved_one_is_refused(trace: Path, tmp_path: Path) -> None:
    saved = tmp_path / "device.snap"
    base = verb("run", trace, tmp_path)
    assert command(*base, "--state", "worn=0.9,0.3", "--save-state", saved).returncode == 0
    done = command(*base, "--state", "empty", "--load-state", saved)
    assert done.returncode == 2
    assert "no effect on a saved state" in done.stderr.decode()
    # A saved state is still said, as the run that saved it said it.
    lines = [
        command(*base, *said).stdout.decode().splitlines()[0]
        for said in (["--state", "worn=0.9,0.3"], ["--load-state", str(saved)])
    ]
    assert lines[0] == lines[1]
    assert "overwritten 0.3 times" in lines[0]


@pytest.mark.few(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", VERBS)
def test_the_first_line_of_every_answer_is_the_state(
    name: str, form: str, trace: Path, tmp_path: Path
) -> None:
    done = command(*verb(name, trace, tmp_path / "out"), "--state", form)
    assert done.returncode == 0, done.stderr
    if name == "sweep":
        done = command("sweep", "show", tmp_path / "out")
    first = done.stdout.decode().splitlines()[0]
    assert first.startswith("tiny: ")
    assert len(first) < 200
    assert "steady" in first or "too few writes" in first
    times = {"empty": "never overwritten", "full=0.5": "never overwritten"}
    assert times.get(form, "overwritten ") in first
    assert "SLC cache " in first
    assert "full" in first.partition("SLC cache")[2]
    assert "left in it" in first
    if name in ("sweep", "tune"):
        assert first in (tmp_path / "out" / "report.html").read_text()


def test_pages_and_summaries_begin_with_it(trace: Path) -> None:
    both = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"])
    line = state.line(both.documents)
    assert line.startswith("tiny: ")
    assert " ".join(both.summary().split()).startswith(line)
    page = both.report()
    assert page.index(line) < page.index("<table")
    (run,) = (run for run in both.runs if run.label == "baseline")
    assert " ".join(run.summary().split()).startswith(state.line(run.documents))


def written(pages: int, tmp_path: Path) -> slcache.Comparison:
    """Write so many pages in order to a cache of 96."""
    rows = [(i, "Write", 4096 * i, 4096) for i in range(pages)]
    trace = write_trace(tmp_path / f"{pages}.csv", rows)
    return slcache.compare(
        trace,
        device="tiny",
        schemes=["tlc-only", "turbo-write"],
        settings={"trace.prefill": "none", "scheme.turbo-write.idle.threshold_ns": 60_000_000_000},
        replay="closed:1",
    )


def test_a_verdict_on_a_cache_that_never_filled_says_so_first(tmp_path: Path) -> None:
    fits, over = written(96, tmp_path), written(104, tmp_path)
    assert fits.verdict()[0].startswith("No SLC cache was ever full here")
    assert "never full" not in " ".join(over.verdict())
    assert fits.rows()[1].cells[-1].text.startswith("384 / ")
    page = fits.report()
    assert page.index("No SLC cache was ever full here") < page.index("<table")
    of_two = [("a", fits.documents[1]), ("b", over.documents[1])]
    assert state.unfilled(of_two).startswith("The SLC cache of a was never full here")


PRESETS = [entry["name"] for entry in slcache.devices()]
#: The largest part that fits each is tried; drives are large.
_PARTS = (256, 64, 16, 4, 1)


def part_of(device: str) -> Any:  # noqa: ANN401
    for parts in _PARTS:
        try:
            return fills.scaled(
                device, parts, lambda part: slcache.resolve(device=part, scheme=scheme_of(device))
            )
        except (ConfigError, UsageError):
            continue
    raise AssertionError(device)


def scheme_of(device: str) -> str:
    fit, _ = slcache.fitting(device=device)
    order = ("client", "baseline", "dwa", "turbo-write", "ips-coop", "hyssd", "nvc", "tlc-only")
    return next(name for name in order if name in fit)


@pytest.mark.few(5)
@pytest.mark.parametrize("device", PRESETS)
def test_what_is_said_of_every_preset_is_within_what_its_blocks_allow(
    device: str, tmp_path: Path
) -> None:
    part, scheme = part_of(device), scheme_of(device)
    config = slcache.resolve(device=part, scheme=scheme)
    on_disk = "disk" in config["device"]
    piece = config["device"]["piece_bytes"] or config["device"]["pool"][0]["page_bytes"]
    rows = [(i, "Write" if i % 3 else "Read", piece * i, piece) for i in range(60)]
    trace = write_trace(tmp_path / "few.csv", rows)
    for form in ("empty", "full=0.5", "worn=0.5,0.2"):
        fill, times = {"empty": (0, 0), "full=0.5": (0.5, 0), "worn=0.5,0.2": (0.5, 0.2)}[form]
        if on_disk and fill:
            continue
        run = slcache.run(
            trace,
            device=part,
            scheme=scheme,
            state=form,
            settings={
                "trace.prefill": "none",
                **({"precondition.drain": False} if fill else {}),
            },
        )
        document = run.to_dict()
        told, pages = document["state"], config["device"]["user_bytes"] // piece
        assert told["full_share"] == pytest.approx(fill, abs=1 / pages)
        assert told["overwritten_share"] == pytest.approx(times, abs=1e-3)
        cache = told["cache"]
        if cache is not None:
            most = sum(slc_row_bytes(p) * p["blocks"] for p in config["device"]["pool"])
            assert 0 <= cache["mean_bytes"] <= cache["peak_bytes"] <= most
            assert cache["limit_bytes"] <= most
            # The series has the live data of the cache at the end.
            left = document["series"]["columns"]["cache_live_bytes"][-1]
            assert cache["left_bytes"] == left or on_disk
            assert cache["left_bytes"] <= cache["peak_bytes"]
        line = state.line([document])
        assert line.startswith(f"{document['config']['device']['name']}: ")
        assert state.of(document) is not None
        assert line in " ".join(run.summary().split())


def test_drives_as_people_own_tell_of_their_state(trace: Path) -> None:
    """Every preset of a drive says in its summary what the note looks for."""
    drives = [entry for entry in slcache.devices() if state._DRIVE in entry["summary"]]
    assert len(drives) == 15
    known = {"summary": drives[0]["summary"], "name": "x"}
    both = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"])
    documents = [{**d, "config": {**d["config"], "device": known}} for d in both.documents]
    assert "--states" in state.unchosen(documents)
    assert state.unchosen(both.documents) == ""
    filled = [{**d, "config": {**d["config"], "precondition": {"fill": 0.5}}} for d in documents]
    assert state.unchosen(filled) == ""


def test_two_states_stand_side_by_side(trace: Path) -> None:
    base = verb("compare", trace, Path())
    done = command(*base, "--states")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode()
    lines = text.splitlines()
    assert lines[0].startswith("fresh (empty but for the data that the trace accesses): tiny: ")
    assert not any("empty: " in line for line in lines)
    assert lines[1].startswith("worn=0.9,0.3: tiny: ")
    found = comparing.in_states(str(trace), device="tiny", schemes=["tlc-only", "baseline"])
    assert list(found) == ["empty", quantity.WORN]
    assert all(line in text for line in simulate.sentences(found))
    # What is beside each other is what each state alone prints.
    for form, comparison in found.items():
        alone = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"], state=form)
        assert without(alone.to_dict()) == without(comparison.to_dict())
        cells = {cell.title: cell.text for cell in alone.rows()[1].cells}
        assert cells["write mean"] in text
    told = json.loads(command(*base, "--states", "--json").stdout)
    assert list(told["states"]) == list(found)


@pytest.mark.parametrize(
    "said",
    [
        ["--state", "empty"],
        ["--out", "o"],
        ["--seeds", "2"],
        ["--resample", "2"],
        ["--log", "l.parquet"],
        ["--timeline", "t.parquet"],
        ["--format", "csv"],
    ],
    ids=lambda said: said[0],
)
def test_what_states_cannot_have_is_refused(said: list[str], trace: Path, tmp_path: Path) -> None:
    done = command(*verb("compare", trace, tmp_path), "--states", *said)
    assert done.returncode == 2
    assert "--states" in done.stderr.decode()
    assert said[0] in done.stderr.decode()


def test_who_wins_turns_round_or_does_not(trace: Path) -> None:
    both = slcache.compare(trace, device="tiny", schemes=["tlc-only", "baseline"])
    documents = [json.loads(json.dumps(document)) for document in both.documents]
    first, second = (d["host"]["write"]["latency_us"] for d in documents)
    first["mean"], second["mean"] = second["mean"], first["mean"]
    turned = slcache.Comparison([slcache.Result(d) for d in documents])
    assert "Writes: the winner does not change" in simulate.sentences({"a": both, "b": both})[0]
    assert "Writes: the winner changes" in simulate.sentences({"a": both, "b": turned})[0]


def test_every_answer_of_saved_runs_and_of_a_study_begins_with_the_state(
    trace: Path, tmp_path: Path
) -> None:
    schemes = ["tlc-only", "baseline"]
    paths = []
    for scheme in schemes:
        run = slcache.run(trace, device="tiny", scheme=scheme)
        paths.append(tmp_path / scheme)
        run.save(paths[-1])
    both = slcache.compare(trace, device="tiny", schemes=schemes)
    page = tmp_path / "page.html"
    asked: list[list[str | Path]] = [
        ["report", *paths, "--out", page],
        ["diff", *paths],
        ["sweep", trace, "--device", "tiny", "--scheme", ",".join(schemes), "--out", tmp_path],
    ]
    for arguments in asked:
        done = command(*arguments)
        assert done.returncode == 0, done.stderr
        first = done.stdout.decode().splitlines()[0]
        # A study's table does not know what its caches might take.
        assert first.partition(";")[0] == state.line(both.documents).partition(";")[0]
        assert "SLC cache" in first


def test_several_devices_are_named_as_long_as_they_are_few(trace: Path) -> None:
    one = slcache.run(trace, device="tiny", scheme="baseline").documents[0]
    config = one["config"]
    named = [
        {**one, "config": {**config, "device": {**config["device"], "name": name}}}
        for name in ("a", "b", "c", "d")
    ]
    assert state.line(named[:2]).startswith("a and b: ")
    assert state.line(named[:3]).startswith("a, b and c: ")
    assert state.line(named).startswith("4 devices: ")
