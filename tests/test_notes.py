"""What a configuration is told about, and what would have no effect and is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slcache
from slcache.cli.app import execute
from support import slcache as command

TINY = Path(__file__).parent.parent / "presets" / "devices" / "tiny.toml"
#: A setting, or a scheme, with words of its note.
NOTED: tuple[tuple[str, dict[str, object], str], ...] = (
    ("tlc-only", {"device.user_bytes": 3_000_001}, "rounded down to 2998272"),
    ("baseline", {"device.pool[0].slc.program_ns": [160]}, "160 ns is no time of NAND flash"),
    ("hyssd", {}, "both tiers are on the same dies"),
    ("hyssd-static", {}, "both tiers are on the same dies"),
    ("ust", {}, "writes in order use one of the 4 planes at a time"),
    ("dwa", {"scheme.dwa.reclaim": "deferred"}, "more than cache.slc_bytes may hold data"),
)


@pytest.mark.parametrize(("scheme", "settings", "words"), NOTED)
def test_a_note_is_with_the_figures(
    scheme: str, settings: dict[str, object], words: str, trace: Path
) -> None:
    run = slcache.run(trace, device="tiny", scheme=scheme, settings=settings, address="wrap")
    # Of so short a run there may be another one on its life.
    assert [note for note in run.notes() if words in note] == run.notes()[:1]
    for shown in (run.summary(), run.report(), run._repr_html_()):
        assert words in " ".join(shown.split())


def test_a_note_is_said_once_in_every_form(trace: Path, comparison: slcache.Comparison) -> None:
    assert comparison.runs[1].notes() == []
    draws = slcache.compare(trace, device="tiny", schemes=["hyssd", "sa"], resample=2)
    for shown in (draws.summary(explain=True), draws.report()):
        assert " ".join(shown.split()).count("both tiers are on the same dies") == 1
    for form, stream in (("table", "stdout"), ("json", "stderr"), ("csv", "stderr")):
        for verb in (["run", "--scheme", "hyssd"], ["compare", "--schemes", "hyssd,baseline"]):
            done = command(verb[0], trace, "--device", "tiny", *verb[1:], "--format", form)
            assert done.returncode == 0, done.stderr
            assert b"same dies" in b" ".join(getattr(done, stream).split())


def test_a_rounded_capacity_is_repeated_as_it_was(trace: Path, tmp_path: Path) -> None:
    asked = {"device.user_bytes": 3_000_001}
    run = slcache.run(trace, device="tiny", scheme="tlc-only", settings=asked, address="wrap")
    device = run.to_dict()["config"]["device"]
    assert (device["user_bytes"], device["stated_user_bytes"]) == (2_998_272, 3_000_001)
    run.save(tmp_path / "kept")
    again = command("diff", "--rerun", tmp_path / "kept", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["equal"]


@pytest.mark.parametrize("stated", [1, 2_998_272, 2_998_272 + 4096])
def test_a_stated_capacity_that_does_not_fit_is_refused(stated: int, tmp_path: Path) -> None:
    """A file that slcache wrote may be changed; what it says of itself must not be dropped."""
    device = tmp_path / "odd.toml"
    both = f"2998272\nstated_user_bytes = {stated}"
    device.write_text(TINY.read_text().replace('"3328KiB"', both))
    told = rf"odd\.toml:\d+: device\.stated_user_bytes = {stated}: must be above .* of 4096 bytes"
    with pytest.raises(slcache.ConfigError, match=told) as caught:
        slcache.resolve(device=device, scheme="tlc-only")
    assert caught.value.key == "device.stated_user_bytes"
    with pytest.raises(slcache.ConfigError, match=told):
        slcache.device_facts(device)


def test_a_stated_capacity_that_fits_stays_until_the_device_is_changed(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    keys = {"user_bytes": 2_998_272, "stated_user_bytes": 3_000_001}
    kept.write_text(json.dumps({"device": keys}))
    whole = slcache.resolve(device="tiny", scheme="tlc-only", settings=kept)
    assert whole["device"]["stated_user_bytes"] == 3_000_001
    file = tmp_path / "whole.json"
    file.write_text(json.dumps(whole))
    assert slcache.resolve(device=file, scheme="tlc-only") == whole
    smaller = {"device.user_bytes": 1 << 20}
    other = slcache.resolve(device=file, scheme="tlc-only", settings=smaller)
    assert "stated_user_bytes" not in other["device"]


def test_a_device_is_warned_of(tmp_path: Path) -> None:
    device = tmp_path / "odd.toml"
    text = TINY.read_text().replace('"3328KiB"', "3_000_001")
    device.write_text(text.replace("program_ns = [1_000_000]", "program_ns = [1_000]"))
    warned = slcache.device_facts(device)["warnings"]
    assert any("rounded down" in warning for warning in warned)
    assert any("tlc.program_ns: 1000 ns" in warning for warning in warned)


def test_the_cliff_begins_in_the_state_that_is_said_and_says_it(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slcache.run(trace, device="tiny", scheme="baseline", state="full=0.9").save(tmp_path / "whole")
    (tmp_path / "keys.toml").write_text("[precondition]\nfill = 0.9\n", encoding="utf-8")
    for said in (
        ["--device", "tiny", "--set", "precondition.fill=0.9"],
        ["--device", "tiny", "--config", str(tmp_path / "keys.toml")],
        ["--config", str(tmp_path / "whole" / "result.json")],
    ):
        assert execute(["cliff", "--schemes", "baseline", "--bs", "4k", *said]) == 0
        assert capsys.readouterr().out.startswith("tiny: 90.0 % full, never overwritten"), said


def test_what_is_said_of_a_run_among_several_names_its_label(trace: Path) -> None:
    names = ["ust", "hyssd", "ust:max_slc_blocks=3"]
    told = slcache.compare(trace, device="tiny", schemes=names).notes()
    (in_order,) = (line for line in told if "writes in order" in line)
    assert in_order.startswith("ust and ust:max_slc_blocks=3: ")
    (shared,) = (line for line in told if "both tiers" in line)
    assert shared.startswith("hyssd: ")
