"""What would have no effect where it stands is refused, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

import slcache
from slcache import cliffs
from slcache.cli.app import execute


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


def test_the_cliff_of_python_refuses_the_same() -> None:
    with pytest.raises(slcache.ConfigError, match="has no effect here"):
        cliffs.run(
            cliffs.Pattern(write_bytes=4096), device="tiny", schemes=["baseline"],
            settings={"host": {"queue_depth": 4}},
        )  # fmt: skip
