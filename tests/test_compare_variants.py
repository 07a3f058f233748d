"""A comparison of settings of one scheme, and of devices: each run is what it is alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import explain
from slcache.given import quantity
from slcache.named import listed
from slcache.study.model import Study
from slcache.words import units
from support import slcache as command

#: Room for SLC blocks from 3 to 6.
SMALL: dict[str, Any] = {"trace.address": "wrap", "device.user_bytes": 2 << 20}
VARIANTS = ["baseline", "baseline:slc_blocks=4", "baseline:slc.victim=fifo:buffer.bytes=1MiB"]


def alone(trace: Path, settings: dict[str, Any]) -> dict[str, Any]:
    run = slcache.run(trace, device="tiny", scheme="baseline", settings={**SMALL, **settings})
    return dict(run.to_dict()["figures"])


def test_settings_of_one_scheme_are_compared(trace: Path, tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "settings": {**SMALL, "slc_blocks": 5}}
    found = slcache.compare(trace, schemes=VARIANTS, **how)
    assert found.labels == VARIANTS
    own: list[dict[str, Any]] = [
        {"slc_blocks": 5},
        {"slc_blocks": 4},
        {"slc_blocks": 5, "slc.victim": "fifo", "buffer.bytes": "1MiB"},
    ]
    for label, settings in zip(VARIANTS, own, strict=True):
        figures = found[label].to_dict()["figures"]
        assert figures == alone(trace, {**settings, "run.bound": True})
    found.save(tmp_path / "out")
    again = slcache.rerun(tmp_path / "out")
    assert again.result.figures.equals(found.figures)


def test_an_alias_is_compared_with_its_scheme(trace: Path) -> None:
    names = "raro,raro-hot,raro:min_retries=[0, 0]"
    settings = {"device.cells.wear": "damage"}
    found = slcache.compare(
        trace, device="rl-32g", schemes=names, settings=settings, address="wrap"
    )
    assert found.labels == ["raro", "raro-hot", "raro:min_retries=[0, 0]"]
    asked = [run["config"]["scheme"]["raro"]["min_retries"] for run in found.to_dict()["runs"]]
    assert asked[0] != asked[1] == asked[2] == [0, 0]
    assert found.to_polars()["scheme"].to_list() == found.labels
    study = Study(trace="t", device="rl-32g", scheme=listed(names))
    assert list(study.schemes) == found.labels


def test_the_unit_is_the_shortest_times_unless_the_longest_gets_long() -> None:
    cases: list[tuple[list[float | None], str]] = [
        ([80.0, 4_000.0], "µs"),
        ([0.9, 80_000.0], "µs"),
        ([80.0, 4_000_000.0], "ms"),
        ([None, 0.0, 2_000.0], "ms"),
        ([0.05], "ns"),
        ([2e6, 1e12], "s"),
    ]
    for times_us, unit in cases:
        show = units.in_one_unit(times_us)
        assert {show(each).rpartition(" ")[2] for each in times_us if each} == {unit}


def test_schemes_are_compared_on_several_devices(trace: Path) -> None:
    how: dict[str, Any] = {"schemes": ["tlc-only", "baseline"], "address": "wrap"}
    both = slcache.compare(trace, device=["tiny", "rl-32g"], **how)
    found = []
    for device in ("tiny", "rl-32g"):
        for alone in slcache.compare(trace, device=device, **how).runs:
            found.append(f"{alone.label} on {device}")
            assert both[found[-1]].to_dict()["figures"] == alone.to_dict()["figures"]
    assert both.labels == found
    with pytest.raises(slcache.UsageError, match="tiny is given twice"):
        slcache.compare(trace, device=["tiny", "tiny"], **how)
    assert "differ in more than their schemes: " in " ".join(both.verdict())
    # A share of what is gained on one device says nothing of another.
    shares = [row.cells[-1].text for row in both.gain_rows()]
    assert not any("%" in share for share in shares[2:])


def test_what_is_left_out_names_the_device_of_several(trace: Path) -> None:
    with pytest.warns(UserWarning, match="left out") as caught:
        slcache.compare(trace, device=["tiny", "mqsim-like"], schemes="all", address="wrap")
    told = [str(each.message) for each in caught]
    assert any(" are left out on tiny: " in line for line in told)
    assert any(" left out on mqsim-like: " in line for line in told)


def test_a_run_a_study_and_a_curve_take_them(trace: Path) -> None:
    text, own = "baseline:slc_blocks=4", {"slc_blocks": 4}
    run = slcache.run(trace, device="tiny", scheme=text, settings=SMALL)
    assert run.to_dict()["figures"] == alone(trace, own)
    study = slcache.sweep(
        trace, device="tiny", scheme=[text, "baseline:slc_blocks=3"], settings=SMALL, metrics="waf"
    )
    rows = {row["scheme"]: row["waf"] for row in study.table.to_dicts()}
    assert rows == {text: run.waf, "baseline:slc_blocks=3": alone(trace, {"slc_blocks": 3})["waf"]}
    curve = slcache.cliff(
        device="tiny", schemes=[text, "baseline"], settings={"device.user_bytes": 2 << 20}
    )
    assert list(curve.curves) == [text, "baseline"]


def test_files_of_runs_are_named_whatever_the_settings(trace: Path, tmp_path: Path) -> None:
    how: dict[str, Any] = {"device": "tiny", "address": "wrap"}
    names = ["baseline", "baseline:device.name=a/b c"]
    slcache.compare(
        trace, schemes=names, log=tmp_path / "r.parquet", timeline=tmp_path / "t.parquet", **how
    )
    kinds = ("baseline", "baseline-device.name=a-b-c")
    assert {p.name for p in tmp_path.iterdir()} == {f"{f}-{k}.parquet" for f in "rt" for k in kinds}
    both = ["baseline:device.name=a/b", "baseline:device.name=a-b"]
    with pytest.raises(slcache.UsageError, match="the files of two runs have one name"):
        slcache.compare(trace, schemes=both, log=tmp_path / "r.parquet", **how)


def test_a_class_of_ones_own_has_settings_too(trace: Path) -> None:
    source = f"{Path(__file__).parent.parent / 'examples/schemes/baseline.py'}:Baseline"
    schemes = f"{source}:start_free_ratio=0.25:slc_blocks=3,{source}:slc_blocks=3"
    how = ("--device", "tiny", "--address", "wrap", "--scheme", schemes)
    done = command("compare", trace, *how, "--json")
    assert done.returncode == 0, done.stderr.decode()
    runs = json.loads(done.stdout)["runs"]
    ratios = [run["config"]["scheme"]["custom"]["options"]["start_free_ratio"] for run in runs]
    assert ratios == [0.25, 0.5]


def test_the_answer_is_short_unless_it_is_to_be_explained(
    trace: Path, comparison: slcache.Comparison
) -> None:
    words = ("compare", trace, "--device", "tiny", "--schemes", "tlc-only,baseline")
    both = comparison
    for more, short in ((False, both.summary()), (True, both.summary(explain=True))):
        whole = command(*words, *(["--explain"] if more else [])).stdout.decode()
        for text in (short, whole):
            flat = " ".join(text.split())
            assert ("share of the gain" in flat) is more
            assert all(line in flat for line in (both.verdict() if more else both.brief()))
    assert str(both) == both.summary()
    assert command(*words, "--explain", "--json").returncode == 2


#: What a block of every plane of `tiny` holds in SLC mode.
BLOCK_BYTES = 128 << 10


def test_a_cache_may_be_said_in_bytes(trace: Path, tmp_path: Path) -> None:
    size = f"{4 * BLOCK_BYTES >> 10}KiB"
    config = tmp_path / "config.toml"
    config.write_text(f'slc_blocks = "{size}"\ndevice.user_bytes = "2MiB"\n')
    how: dict[str, Any] = {"device": "tiny", "settings": SMALL}
    study = slcache.sweep(trace, scheme="baseline", vary={"slc_blocks": [size]}, **how)
    assert study.table["waf"].to_list() == [alone(trace, {"slc_blocks": 4})["waf"]]
    given: list[dict[str, Any]] = [
        {"scheme": "baseline", "settings": {**SMALL, "slc_blocks": size}},
        {"scheme": f"baseline:slc_blocks={size}"},
        {"scheme": "baseline", "settings": config},
    ]
    for each in given:
        found = slcache.resolve(**{**how, **each})
        assert found["scheme"]["baseline"]["slc_blocks"] == 4


@pytest.mark.parametrize(
    ("size", "told"),
    [
        ("200KiB", "whole blocks per plane, of which one is 128KiB in SLC mode; nearest are 1 "),
        ("1TiB", "must be between"),
        ("4", "must be a whole number"),
    ],
)
def test_a_size_that_is_no_whole_number_of_blocks_is_told(size: str, told: str) -> None:
    with pytest.raises(slcache.ConfigError, match=told) as error:
        slcache.resolve(device="tiny", scheme="baseline", settings={"slc_blocks": f'"{size}"'})
    assert error.value.key == "scheme.baseline.slc_blocks"


def test_every_key_that_takes_a_size_says_so() -> None:
    sized = {entry.key.name for entry in explain.entries() if "Or a size" in entry.key.text}
    assert {name.rpartition(".")[2] for name in sized} == set(quantity.SIZED)
    for key in sized:
        scheme = key.split(".")[1]
        device = "rl-32g" if scheme == "rl" else "nvc-7200" if scheme == "nvc" else "ips-coop"
        with pytest.raises(slcache.ConfigError, match="nearest are 0"):
            slcache.resolve(device=device, scheme=scheme, settings={key: "1B"})
