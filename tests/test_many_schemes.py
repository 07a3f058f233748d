"""Every scheme at once, the clairvoyant one, and caches of different sizes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import slcache
from charted import keys, nodes
from slcache import catalogue
from slcache.charts import latency as charts
from slcache.charts import spec
from slcache.report import html
from slcache.tables import grid
from slcache.words.names import leaves
from support import mixed, write_trace
from support import slcache as command

ALL = [entry["name"] for entry in slcache.schemes()]
EVERY, _ = slcache.fitting(device="tiny")
PRESETS = Path(__file__).parent.parent / "presets" / "devices"


@pytest.fixture(scope="module")
def every(trace: Path) -> slcache.Comparison:
    """Every scheme on the small trace."""
    return slcache.compare(trace, device="tiny", schemes=EVERY)


def test_a_wrong_setting_is_no_reason_to_leave_a_scheme_out() -> None:
    with pytest.raises(slcache.ConfigError, match="nonsense"):
        slcache.fitting(device="tiny", settings={"scheme.baseline.nonsense": 1})


def test_a_device_that_runs_nothing_says_why_for_each(tmp_path: Path) -> None:
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
    drawn = charts.latency(every.labels, every.documents)
    assert keys(drawn) == every.labels
    assert len(set(spec.colours(every.labels).values())) == len(EVERY)
    encodings = [node.get("encoding", {}) for node in nodes(drawn)]
    dashes = [each["strokeDash"] for each in encodings if "strokeDash" in each]
    assert dashes
    assert all(len(set(map(str, dash["scale"]["range"]))) > 1 for dash in dashes)


def test_all_schemes_are_those_that_a_device_can_be() -> None:
    ahead = [entry["name"] for entry in slcache.schemes() if entry["looks_ahead"]]
    assert ahead == ["clairvoyant", "bypass-oracle"]
    assert "clairvoyant" in slcache.fitting(device="tiny")[0]
    assert "clairvoyant" not in catalogue.named("all", device="tiny")[0]
    assert catalogue.named("clairvoyant", device="tiny")[0] == ["clairvoyant"]


def test_it_wins_nothing(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "trace.csv", mixed(2000))
    names = ["baseline", "clairvoyant", "turbo-write"]
    told = " ".join(slcache.compare(trace, device="tiny", schemes=names).verdict())
    assert "baseline" in told
    assert "clairvoyant" not in told


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
    assert [row.cells[-1].text for row in unequal.rows()] == ["–", *told]
    note, *_ = unequal.notes()
    assert "baseline has 384 KiB, turbo-write 768 KiB" in note
    assert note in " ".join(unequal.summary(explain=True).split())
    assert note in html.render(unequal.labels, unequal.documents, unequal.reference)


def test_caches_within_a_tenth_and_schemes_without_one_are_not_worth_a_note() -> None:
    def told(*sizes: int | None) -> str:
        caches = [size if size is None else {"limit_bytes": size} for size in sizes]
        documents: list[dict[str, Any]] = [{"state": {"cache": cache}} for cache in caches]
        return grid.unequal_caches([f"scheme {i}" for i in range(len(sizes))], documents)

    assert told(0, 1000, 1100, None) == ""
    assert told(None, None) == told(0, 0) == ""
    assert "scheme 1 has 1,000 B, scheme 3 1.08 KiB" in told(0, 1000, 1000, 1101)


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
