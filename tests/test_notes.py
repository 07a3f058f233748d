"""What a configuration is told about, and what would have no effect and is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slcache
from slcache.cli.app import execute
from support import slcache as command

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
    scheme: str, settings: dict[str, object], words: str, trace: Path, tmp_path: Path
) -> None:
    run = slcache.run(trace, device="tiny", scheme=scheme, settings=settings, address="wrap")
    # Of so short a run there may be another one on its life.
    assert [note for note in run.notes() if words in note] == run.notes()[:1]
    run.save(tmp_path / "kept")
    kept = slcache.load(tmp_path / "kept")
    for shown in (run.summary(), run.report(), run._repr_html_(), kept.summary()):
        assert words in " ".join(shown.split())
    plain = slcache.run(trace, device="tiny", scheme="baseline")
    assert plain.notes() == []
    names = [scheme, "sa"]
    both = slcache.compare(
        trace, device="tiny", schemes=names, settings=settings, address="wrap", resample=2
    )
    for shown in (both.summary(explain=True), both.report()):
        assert " ".join(shown.split()).count(words) == 1


def test_the_command_line_says_notes_in_every_form(trace: Path) -> None:
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
    preset = Path(__file__).parent.parent / "presets" / "devices" / "tiny.toml"
    both = f"2998272\nstated_user_bytes = {stated}"
    device = tmp_path / "odd.toml"
    device.write_text(preset.read_text().replace('"3328KiB"', both))
    told = (
        rf"device\.stated_user_bytes = {stated}: must be above device\.user_bytes = 2998272 and "
        "round down to it in whole logical pages of 4096 bytes"
    )
    at = rf"odd\.toml:\d+: {told}"
    with pytest.raises(slcache.ConfigError, match=at) as caught:
        slcache.resolve(device=device, scheme="tlc-only")
    assert caught.value.key == "device.stated_user_bytes"
    with pytest.raises(slcache.ConfigError, match=at):
        slcache.device_facts(device)
    done = command("devices", "show", device)
    assert done.returncode == 3, done.stderr
    settings = tmp_path / "odd.json"
    keys = {"user_bytes": 2_998_272, "stated_user_bytes": stated}
    settings.write_text(json.dumps({"device": keys}))
    with pytest.raises(slcache.ConfigError, match=rf"odd\.json.*: {told}"):
        slcache.resolve(device="tiny", scheme="tlc-only", settings=settings)


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
    preset = Path(__file__).parent.parent / "presets" / "devices" / "tiny.toml"
    device = tmp_path / "odd.toml"
    text = preset.read_text().replace('"3328KiB"', "3_000_001")
    device.write_text(text.replace("program_ns = [1_000_000]", "program_ns = [1_000]"))
    warned = slcache.device_facts(device)["warnings"]
    assert any("rounded down" in warning for warning in warned)
    assert any("tlc.program_ns: 1000 ns" in warning for warning in warned)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("action=Q", "only with format blkparse, blktrace"),
        ("mqsim_time_unit=us", "only with format mqsim"),
        ("op_default=read", "only with format oracle_general"),
        ("object_unit=512", "only with format oracle_general"),
        ("seed=3", "only with a workload"),
        ("workload.requests=3", "only with a workload"),
    ],
)
def test_an_option_of_another_format(
    trace: Path, option: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = execute(["trace", "info", str(trace), "--trace-option", option])
    assert status == 4
    error = capsys.readouterr().err
    assert option.split("=", maxsplit=1)[0].split(".")[0] in error
    assert told in error


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["twin", "T", "-o", "x.toml", "--requests", "9"], "--requests"),
        (["twin", "T", "-o", "x.toml", "--seed", "1"], "--seed"),
        (["twin", "T", "-o", "x.toml", "--lossy", "label"], "--lossy"),
        (["twin", "T", "-o", "x.parquet", "--by", "blocks", "--format", "csv"], "--format"),
        (["info", "T", "--seed", "1"], "--seed"),
        (["workloads", "--workload", "requests=3"], "--workload"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_an_option_without_the_one_it_belongs_to(
    trace: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = execute(["trace", *(str(trace) if word == "T" else word for word in arguments)])
    error = capsys.readouterr().err
    assert status == 2
    assert told in error
    assert f"see slcache trace {arguments[0]} --help" in error
    assert not list(Path().glob("x.*"))


def test_a_name_and_a_format_that_contradict(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "x.parquet"
    assert execute(["trace", "convert", str(trace), "-o", str(output), "--as", "msr"]) == 3
    assert "the name tells parquet, and the format is to be msr" in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["--bursts", "3"], 2, "--bursts: has no effect without --pattern bursts"),
        (["--pause", "3s"], 2, "--pause: has no effect without --pattern bursts"),
        (["--span", "1GiB"], 2, "--span = 1073741824: the device has 3407872"),
        (["--set", "host.queue_depth=4"], 3, "host.queue_depth = 4: has no effect here"),
        (["--set", "trace.prefill=none"], 3, "trace.prefill = none: has no effect here"),
        (["--set", "host.replay=open"], 3, "host.replay = open: has no effect here"),
        (["--set", "host.time_scale=2"], 3, "host.time_scale: has no effect"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_the_cliff_decides_itself(
    arguments: list[str], status: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = execute(["cliff", "--device", "tiny", "--schemes", "baseline", "--bs", "4k", *arguments])
    assert (done, told in capsys.readouterr().err) == (status, True)


def test_the_cliff_begins_in_the_state_that_is_said_and_says_it(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = {"precondition.fill": 0.9}
    slcache.run(trace, device="tiny", scheme="baseline", settings=filled).save(tmp_path / "whole")
    keys = tmp_path / "keys.toml"
    keys.write_text("[precondition]\nfill = 0.9\n", encoding="utf-8")
    empty = slcache.run(trace, device="tiny", scheme="baseline")
    empty.save(tmp_path / "empty")
    for said, state in (
        (["--device", "tiny", "--set", "precondition.fill=0.9"], "90.0 % full"),
        (["--device", "tiny", "--config", str(keys)], "90.0 % full"),
        (["--config", str(tmp_path / "whole" / "result.json")], "90.0 % full"),
        (["--config", str(tmp_path / "empty" / "result.json")], "empty"),
    ):
        assert execute(["cliff", "--schemes", "baseline", "--bs", "4k", *said]) == 0
        assert capsys.readouterr().out.startswith(f"tiny: {state}, never overwritten"), said


def test_what_is_said_of_a_run_among_several_names_its_label(trace: Path) -> None:
    names = ["ust", "hyssd", "ust:max_slc_blocks=3"]
    told = slcache.compare(trace, device="tiny", schemes=names).notes()
    (in_order,) = (line for line in told if "writes in order" in line)
    assert in_order.startswith("ust and ust:max_slc_blocks=3: ")
    (shared,) = (line for line in told if "both tiers" in line)
    assert shared.startswith("hyssd: ")
