"""The state before a run and of its cache: said first, chosen in a word, and true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import slcache
from slcache import comparing
from slcache.cli import simulate
from slcache.given import quantity
from slcache.metrics import METRICS
from slcache.sentences import state
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
def test_a_state_is_the_keys_that_it_stands_for_and_is_said_first(
    name: str, form: str, trace: Path, tmp_path: Path
) -> None:
    keys = zip(quantity.KEYS, FORMS[form], strict=True)
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
    keys = dict(zip(quantity.KEYS, FORMS["full=0.5"], strict=True))
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


def test_every_answer_of_saved_runs_begins_with_the_state(
    both: slcache.Comparison, trace: Path, tmp_path: Path
) -> None:
    line = state.line(both.documents)
    page = both.report()
    assert page.index(line) < page.index("<table")
    run = both["baseline"]
    for shown, documents in ((both, both.documents), (run, run.documents)):
        assert " ".join(shown.summary().split()).startswith(state.line(documents))
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
    assert fits.rows()[1].cells[-1].text.startswith("384 / ")
    of_two = [("a", fits.documents[1]), ("b", over.documents[1])]
    assert state.unfilled(of_two).startswith("The SLC cache of a was never full here")


def test_drives_as_people_own_tell_of_their_state(both: slcache.Comparison) -> None:
    """Every preset of a drive says in its summary what the note looks for."""
    drives = [entry for entry in slcache.devices() if state._DRIVE in entry["summary"]]
    assert len(drives) == 15
    known = {"summary": drives[0]["summary"], "name": "x"}
    documents = [{**d, "config": {**d["config"], "device": known}} for d in both.documents]
    assert "--states" in state.unchosen(documents)
    assert state.unchosen(both.documents) == ""
    filled = [{**d, "config": {**d["config"], "precondition": {"fill": 0.5}}} for d in documents]
    assert state.unchosen(filled) == ""
    documents = [json.loads(json.dumps(document)) for document in both.documents]
    first, second = (d["host"]["write"]["latency_us"] for d in documents)
    first["mean"], second["mean"] = second["mean"], first["mean"]
    turned = slcache.Comparison([slcache.Result(d) for d in documents])
    assert "Writes: the winner does not change" in simulate.sentences({"a": both, "b": both})[0]
    assert "Writes: the winner changes" in simulate.sentences({"a": both, "b": turned})[0]
    one = both.documents[1]
    config = one["config"]
    named = [
        {**one, "config": {**config, "device": {**config["device"], "name": name}}}
        for name in ("a", "b", "c", "d")
    ]
    assert state.line(named[:3]).startswith("a, b and c: ")
    assert state.line(named).startswith("4 devices: ")


def test_two_states_stand_side_by_side(trace: Path) -> None:
    base = verb("compare", trace, Path())
    text = stdout(*base, "--states")
    assert [": tiny: " in line for line in text.splitlines()[:2]] == [True, True]
    found = comparing.in_states(str(trace), device="tiny", schemes=SCHEMES)
    assert list(found) == ["empty", quantity.WORN]
    assert all(line in text for line in simulate.sentences(found))
    # What is beside each other is what each state alone prints.
    for form, comparison in found.items():
        alone = slcache.compare(trace, device="tiny", schemes=SCHEMES, state=form)
        assert without(alone.to_dict()) == without(comparison.to_dict())
        cells = {cell.title: cell.text for cell in alone.rows()[1].cells}
        assert cells["write mean"] in text
    told = json.loads(command(*base, "--states", "--json").stdout)
    assert list(told["states"]) == list(found)
