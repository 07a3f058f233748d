"""Every scheme at once: which a device runs, in which mode, and with how large a cache."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import slcache
from charted import keys, nodes
from slcache import catalogue, units
from slcache.charts import performance as charts
from slcache.charts import spec
from slcache.cli import simulate
from slcache.names import leaves
from slcache.results import report, result
from slcache.results.result import runs_of
from slcache.sentences import notes
from slcache.tables import grid
from support import mixed, write_trace
from support import slcache as command

ALL = [entry["name"] for entry in slcache.schemes()]
EVERY, _ = slcache.fitting(device="tiny")
PRESETS = Path(__file__).parent.parent / "presets" / "devices"


@pytest.fixture(scope="module")
def every(trace: Path) -> slcache.Comparison:
    """Every scheme on the small trace."""
    return slcache.compare(trace, device="tiny", schemes=EVERY)


def test_an_answer_about_many_fits_a_screen(
    every: slcache.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    """State, table and five sentences, also where all fell behind; the rest is explained."""
    for limit in ("_LAG_NS", "_LAG_SHARE"):
        monkeypatch.setattr(result, limit, 0)
    lines = every.summary().splitlines()
    told = [line for line in lines if "keep up with the trace" in line]
    assert len(told) == 1
    assert told[0].startswith(f"{len(EVERY)} of {len(EVERY)} schemes do not keep up")
    pace = {name: each["host"]["iops"] for name, each in runs_of(every).items()}
    for choose in (min, max):
        name = choose(pace, key=lambda each: pace[each])
        assert f"{pace[name]:,.0f} ({name})" in " ".join(every.summary().split())
    assert len(every.brief()) <= 4
    explained = " ".join(every.summary(explain=True).split())
    assert explained.count("the device does not keep up with the trace") == len(EVERY)


def test_a_wrong_setting_is_no_reason_to_leave_a_scheme_out(tmp_path: Path) -> None:
    with pytest.raises(slcache.ConfigError, match="nonsense"):
        slcache.fitting(device="tiny", settings={"scheme.baseline.nonsense": 1})
    text = (PRESETS / "hyssd-st.toml").read_text()
    device = tmp_path / "full.toml"
    device.write_text(text.replace('user_bytes = "16GiB"', 'user_bytes = "17920MiB"'))
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.fitting(device=device)
    named = [line.partition(": ")[0].split(", ") for line in str(caught.value).splitlines()]
    assert sorted(name for names in named for name in names) == sorted(ALL)


def test_the_command_line_names_what_it_leaves_out(trace: Path) -> None:
    done = command(
        "compare", trace, "--device", "mqsim-like", "--schemes", "all", "--address", "compact",
        "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ran = [run["scheme"]["name"] for run in json.loads(done.stdout)["runs"]]
    assert ran == ["tlc-only", "qlc-only"]
    notes = done.stderr.decode().splitlines()
    assert len(notes) < len(ALL) - len(ran)
    told = [re.split(r" (?:is|are) left out: ", note.removeprefix("note: "))[0] for note in notes]
    named = [name for names in told for name in re.split(", | and ", names)]
    assert sorted(named) == sorted(set(ALL) - set(ran))


def test_lines_of_every_scheme_differ_in_more_than_lightness(every: slcache.Comparison) -> None:
    drawn = charts.latency(runs_of(every))
    assert keys(drawn) == every.labels
    assert len(set(spec.colours(every.labels).values())) == len(EVERY)
    encodings = [node.get("encoding", {}) for node in nodes(drawn)]
    dashes = [each["strokeDash"] for each in encodings if "strokeDash" in each]
    assert dashes
    assert all(len(set(map(str, dash["scale"]["range"]))) > 1 for dash in dashes)


def test_all_schemes_are_those_that_a_device_can_be(tmp_path: Path) -> None:
    ahead = [entry["name"] for entry in slcache.schemes() if entry["looks_ahead"]]
    assert ahead == ["clairvoyant", "bypass-oracle"]
    assert "clairvoyant" in slcache.fitting(device="tiny")[0]
    assert "clairvoyant" not in catalogue.named_schemes("all", device="tiny")[0]
    assert catalogue.named_schemes("clairvoyant", device="tiny")[0] == ["clairvoyant"]
    trace = write_trace(tmp_path / "trace.csv", mixed(2000))
    names = ["baseline", "clairvoyant", "turbo-write"]
    told = " ".join(slcache.compare(trace, device="tiny", schemes=names).verdict())
    assert "baseline" in told
    assert told.count("clairvoyant") == told.count("clairvoyant, which knew the trace: ")


def test_a_page_tells_what_its_figures_are(every: slcache.Comparison) -> None:
    page = unescape(every.report())
    assert "without an interval" in page
    for name, value, told in (
        ("trace.write_bytes_per_day", 3.6837e12, "3,683,700,000,000 (3.68 TB a day)"),
        ("device.pool[0].slc.program_ns", [500_000, 900], "500,000, 900 (500 µs, 900 ns)"),
        ("scheme.rl.step_bytes", 512, "512"),
    ):
        assert report._with_unit(name, value) == told


def test_what_knew_the_trace_wins_nowhere() -> None:
    how: dict[str, Any] = {
        "device": "tiny",
        "schemes": ["tlc-only", "baseline", "bypass-oracle"],
        "address": "wrap",
        "trace_options": {"workload.requests": "600"},
    }
    told = slcache.compare("zipf-4k", **how)
    means = {run.label: run["write_mean_ns"] or 0.0 for run in told.runs}
    assert min(means, key=lambda name: means[name]) == "bypass-oracle"
    factor = units.factor(means["bypass-oracle"] / means["tlc-only"])
    beside = f"bypass-oracle, which knew the trace: {factor}"
    assert "bypass-oracle wins" not in told.verdict()[0]
    assert f"({beside} that of tlc-only)" in told.verdict()[0]
    rows = grid.table(runs_of(told), told.reference).rows
    (oracle,) = (row for row in rows if str(row[0]) == "bypass-oracle")
    assert not any("green" in str(cell.style) for cell in oracle)
    (writes, *_) = simulate.sentences({"empty": told})
    assert "bypass-oracle wins" not in writes
    assert beside in writes
    seeded = slcache.compare("zipf-4k", **how, seeds=2).verdict()
    assert not any("bypass-oracle has the lowest" in line for line in seeded)
    assert "With the trace known: bypass-oracle" in " ".join(seeded)


def test_a_pipe_and_an_address_policy_are_foreseen_too(tmp_path: Path) -> None:
    rows = [(at, op, offset + (1 << 40), size) for at, op, offset, size in mixed()]
    trace = write_trace(tmp_path / "trace.csv", rows)
    for policy, path in (("wrap", "-"), ("compact", trace)):
        how = ("--device", "tiny", "--scheme", "clairvoyant", "--address", policy, "--json")
        done = command("run", path, *how, stdin=trace.read_bytes())
        figures = json.loads(done.stdout)["scheme"]["figures"]
        assert figures["planned_pages"] > 0
        assert figures["unforeseen_pages"] == 0


KIB = 1 << 10
#: Three blocks of eight pages in each of four planes, or six.
SMALL, LARGE = 384 * KIB, 768 * KIB


@pytest.fixture(scope="module")
def unequal() -> slcache.Comparison:
    return slcache.compare(
        "zipf-4k",
        device="tiny",
        schemes=["tlc-only", "baseline", "turbo-write"],
        trace_options={"workload.requests": "200", "workload.footprint_bytes": "1MiB"},
        settings={"scheme.turbo-write.slc_blocks": 6, "device.user_bytes": "2MiB"},
    )


def test_each_run_says_what_its_cache_takes(unequal: slcache.Comparison) -> None:
    sizes = [run["cache"] for run in unequal.to_dict()["runs"]]
    assert sizes == [{"slc_bytes": 0}, {"slc_bytes": SMALL}, {"slc_bytes": LARGE}]
    caches = [run["state"]["cache"] for run in unequal.to_dict()["runs"]]
    assert [cache and cache["limit_bytes"] for cache in caches] == [None, SMALL, LARGE]
    # What is printed is what they took.
    took = [[cache[f"{part}_bytes"] / KIB for part in ("peak", "mean")] for cache in caches[1:]]
    told = [f"{peak:.0f} / {mean:.0f} KiB" for peak, mean in took]
    assert [row[-1].plain for row in unequal.tables()[0].rows] == ["–", *told]
    note, *_ = unequal.notes()
    assert "baseline has 384 KiB, turbo-write 768 KiB" in note
    assert note in " ".join(unequal.summary(explain=True).split())
    assert note in report.render(runs_of(unequal), unequal.reference)

    def noted(*sizes: int | None, peak: int = 1) -> str:
        caches = [s if s is None else {"limit_bytes": s, "peak_bytes": s and peak} for s in sizes]
        documents: list[dict[str, Any]] = [{"state": {"cache": cache}} for cache in caches]
        return notes.unequal_caches({f"scheme {i}": each for i, each in enumerate(documents)})

    assert noted(0, 1000, 1100, None) == ""
    assert noted(None, None) == noted(0, 0) == ""
    assert "scheme 1 has 1,000 B, scheme 3 1.08 KiB" in noted(0, 1000, 1000, 1101)
    assert noted(0, 1000, 1000, 1101, peak=0) == ""


def test_what_packing_gains_is_not_the_caches(tmp_path: Path) -> None:
    """Small writes to large pages: tlc-only programs a page for each, and some caches do not."""
    jobs = tmp_path / "load.toml"
    jobs.write_text(
        'footprint_bytes = "1MiB"\nrequests = 400\n[global]\nrw = "randwrite"\nbs = "4k"\n'
    )

    def told(*schemes: str, page_bytes: int = 16384, **more: object) -> list[str]:
        settings = {"device.mu_bytes": 4096, "device.pool[0].page_bytes": page_bytes, **more}
        both = slcache.compare(jobs, device="tiny", schemes=schemes, settings=settings)
        found = [each for each in both.notes() if "not the cache's" in each]
        assert all(each in unescape(both.report()) for each in found)
        return found

    assert [each.count("client packs; qlc-only") for each in told("tlc-only", "client")] == [1]
    assert told("tlc-only", "client", page_bytes=4096) == []
    # A cache that does so too, another reference, and no cache at all.
    assert told("tlc-only", "baseline") == []
    assert told("qlc-only", "client") == []
    assert told("tlc-only", "qlc-only") == []
    # A cache does save the padding of wordlines that are programmed at once.
    with jobs.open("a") as file:
        file.write('[arrivals]\nprocess = "constant"\nmean_gap_ns = "20ms"\n')
    shot = {"device.pool[0].tlc.program": "one-shot"}
    assert told("tlc-only", "baseline", page_bytes=4096, **shot) == []


def sizes(device: str) -> Iterator[tuple[str, str]]:
    """Yield each scheme of a device with each of its counts of blocks."""
    for scheme in slcache.fitting(device=device)[0]:
        config = slcache.resolve(device=device, scheme=scheme)
        for key, value in leaves({"scheme": config["scheme"]}):
            if key.endswith("blocks") and isinstance(value, int):
                yield scheme, key


@pytest.mark.parametrize("device", ["tiny", "intel-660p-1tb-like", "rl-32g", "nvc-hdd"])
def test_a_size_that_is_too_large_is_told_with_the_largest_that_passes(device: str) -> None:
    for scheme, key in sizes(device):

        def resolved(size: int, scheme: str = scheme, key: str = key) -> None:
            slcache.resolve(device=device, scheme=scheme, settings={key: size})

        with pytest.raises(slcache.ConfigError) as refused:
            resolved(1_000_000)
        told = str(refused.value)
        found = re.search(r"([\d]+) is the largest that passes", told)
        found = found or re.search(rf"{key} = 1000000: must be .*between \d+ and (\d+)", told)
        assert found, told
        resolved(int(found[1]))
        with pytest.raises(slcache.ConfigError, match=found[1]):
            resolved(int(found[1]) + 1)


def test_a_scheme_that_does_not_fit_is_told_with_the_size_that_does() -> None:
    for device in ("samsung-980-1tb-like", "intel-660p-1tb-like"):
        why = slcache.fitting(device=device)[1]["hyssd"]
        ((key, size),) = re.findall(r"(scheme[\w.-]+) = (\d+) is the \w+ that passes", why)
        slcache.resolve(device=device, scheme="hyssd", settings={key: int(size)})


WITHOUT_A_DISK = slcache.fitting(device="tiny")[0]
TINY = Path(__file__).parents[1] / "presets/devices/tiny.toml"
#: Room for data of two bits a cell: less is cleaned ahead, and more is fast.
LESS = {
    "device.user_bytes": "2MiB",
    **{
        f"scheme.{name}.dense.start_free_ratio": 0.0
        for name in ("baseline", "sa", "sector", "hierarchy")
    },
    **{f"scheme.{name}.fast_blocks": 5 for name in ("hyssd", "hyssd-static")},
}


@pytest.mark.parametrize("mode", ["mlc", "tlc", "qlc"])
def test_every_scheme_runs_on_a_device_with_one_dense_mode(tmp_path: Path, mode: str) -> None:
    device = tmp_path / f"{mode}.toml"
    text = TINY.read_text().replace("[device.pool.tlc]", f"[device.pool.{mode}]")
    device.write_text(text.replace('[scheme-defaults.tlc-only]\nmode = "tlc"\n', ""))
    load = {"workload.requests": "300", "workload.footprint_bytes": "1MiB"}
    compared = slcache.compare(
        "uniform-4k", device=device, schemes=WITHOUT_A_DISK, normalise="tlc-only",
        trace_options=load, replay="closed:4", settings=LESS,
    )  # fmt: skip
    reference = "tlc-only mode=qlc" if mode == "qlc" else f"{mode}-only"
    assert compared.labels == [reference, *WITHOUT_A_DISK[1:]]
    assert compared.reference == reference
    for label, document in runs_of(compared).items():
        assert document["scheme"]["name"] == label
        config = document["config"]
        options = next(iter(config["scheme"].values()))
        chosen = options.get("mode", options.get("dense_mode", mode))
        assert (chosen, config["device"]["pool"][0]["reprogram"]["mode"]) == (mode, mode)
        assert {row["mode"] for row in document["flash"]["ops"]} <= {"slc", mode}


@pytest.mark.parametrize(("name", "device"), [("slc-only", "tiny"), ("mlc-only", "gc-8g")])
def test_a_name_with_another_mode_is_that_mode(name: str, device: str) -> None:
    settings = {"device.user_bytes": "1MiB"}
    resolved = slcache.resolve(device=device, scheme=name, settings=settings)
    assert resolved["scheme"]["tlc-only"]["mode"] == name.removesuffix("-only")
    settings["scheme.tlc-only.mode"] = "tlc"
    with pytest.raises(slcache.ConfigError, match=f"scheme {name} says"):
        slcache.resolve(device=device, scheme=name, settings=settings)


def test_settings_of_the_reference_reach_it_under_every_name() -> None:
    settings = {"scheme.tlc-only.clean.victim": "fifo"}
    for scheme, kept in (("slc-only", settings), ("baseline", {})):
        assert slcache.catalogue.settings_for(settings, scheme, ["slc-only", "baseline"]) == kept


def test_every_scheme_tells_its_knobs_and_signals() -> None:
    entries = {entry["name"]: entry for entry in json.loads(command("schemes", "--json").stdout)}
    for entry in entries.values():
        assert all(signal["min"] < signal["max"] for signal in entry["signals"])
    assert entries["ips"]["knobs"] == []
    of_sa = {knob["name"] for knob in entries["sa"]["knobs"]}
    assert of_sa == {"slc.start_free_ratio", "merge.timeout_ns"}
    words = set(command("schemes").stdout.decode().split())
    summaries = [knob["summary"] for entry in entries.values() for knob in entry["knobs"]]
    assert all(words >= set(summary.split()) for summary in summaries)
    entries = json.loads(command("schemes", "--device", "tiny", "--json").stdout)
    knobs = {(entry["name"], knob["name"]): knob for entry in entries for knob in entry["knobs"]}
    config = catalogue.resolve(device="tiny", scheme="turbo-write")["scheme"]["turbo-write"]
    blocks = config["slc_blocks"]
    knob = knobs["turbo-write", "slc_blocks"]
    assert (knob["value"], knob["steps"]) == (blocks, {"min": 1, "max": blocks, "step": 1})
    ratio = knobs["baseline", "slc.start_free_ratio"]
    assert ratio["value"] in ratio["ladder"]
    assert ratio["ladder"] == sorted(ratio["ladder"])
    assert f"1 to {blocks} by 1" in command("schemes", "--device", "tiny").stdout.decode()
    done = command("schemes", "--device", "rl-32g", "--json")
    problems = {entry["name"]: entry.get("problem", "") for entry in json.loads(done.stdout)}
    assert "reprogram" in problems["ips"]
    assert b"do not run on rl-32g" in command("schemes", "--device", "rl-32g").stderr


def test_equal_cells_leave_as_many_dense_blocks_as_a_cache_does_and_are_told(
    trace: Path, comparison: slcache.Comparison
) -> None:
    how: dict[str, Any] = {"device": "tiny", "schemes": ["tlc-only", "baseline"]}
    for equal, blocks in ((False, 16), (True, 13)):
        found = slcache.compare(trace, equal_cells=equal, **how)
        assert found.documents[0]["config"]["device"]["pool"][0]["blocks"] == blocks
        told = "tlc-only has 16 dense blocks per plane and baseline 13"
        assert any(told in note for note in found.notes()) is not equal
    plain, cached = comparison.documents
    for names in (["one"], ["one", "two"], ["one", "two", "three"]):
        told = notes.unequal_room({**dict.fromkeys(names, plain), "cached": cached})
        listed = {1: "one has", 2: "one and two have", 3: "one, two and three have"}[len(names)]
        wanted = f"For garbage collection, {listed} 16 dense blocks per plane and cached 13"
        assert told.startswith(wanted)


@pytest.mark.parametrize(
    "name", ["", " ", "a\nb", "a\tb", "\x1b[2J", "\x7f", "a.b", "a b", 'a"b', "[0]", "é", "nand[0]"]
)
def test_a_pool_s_name_is_in_the_result_or_refused(name: str, trace: Path) -> None:
    config = slcache.resolve(device="tiny", scheme="baseline")
    config["device"]["pool"][0]["name"] = name
    if name.strip() and name.isprintable():
        found = slcache.run(trace, settings=config, address="wrap").to_dict()
        assert {each["pool"] for each in found["flash"]["ops"]} == {name}
        return
    with pytest.raises(slcache.ConfigError) as refused:
        slcache.run(trace, settings=config)
    assert refused.value.key == "device.pool[0].name"
    kind = " in one line" if name.strip() else ", not empty"
    assert f"must be a name{kind}" in str(refused.value)


def tables(value: Any, key: str = "") -> Iterator[str]:  # noqa: ANN401
    """Yield the keys of all tables of a configuration."""
    if isinstance(value, Mapping):
        yield from [key] if key else []
        for name, inner in value.items():
            yield from tables(inner, f"{key}.{name}" if key else name)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from tables(inner, f"{key}[{i}]")


@pytest.mark.parametrize("scheme", ["baseline", "client", "rl", "custom"])
def test_an_empty_table_is_an_error_or_has_an_effect(scheme: str) -> None:
    """Dotted, nested or by the command line's own words."""
    whole = slcache.resolve(device="tiny", scheme=scheme)
    for key in [*tables(whole), "host.link", "buffer", "device.map", "device.pool[3]", "nothing"]:
        nested: dict[str, Any] = {}
        for step in reversed(key.split(".")):
            nested = {step: nested}
        both: tuple[dict[str, Any], ...] = ({key: {}}, nested)
        for settings in both:
            try:
                found = slcache.resolve(device="tiny", scheme=scheme, settings=settings)
                told = None
            except slcache.ConfigError as error:
                found, told = whole, str(error)
            assert (found != whole) if told is None else (key in told), key
