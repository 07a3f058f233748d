"""Bad input ends with its own exit status, one clear message and no results."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from slcache import TraceError, api
from support import EPOCH, TICKS_PER_MS, TINY_BYTES, line, mixed, slcache, write_trace

GOOD = "".join(line(EPOCH + i * TICKS_PER_MS, "Write", 4096 * i, 4096) for i in range(50))


def later(ms: int) -> int:
    """Return a time well after the good requests."""
    return EPOCH + (1000 + ms) * TICKS_PER_MS


def run(trace: Path, *arguments: str) -> tuple[int, str, str]:
    """Run baseline on the tiny device unless told otherwise; return status and both outputs."""
    done = slcache("run", trace, "--device", "tiny", "--scheme", "baseline", *arguments)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--set", "device.nonsense=1"], "nonsense"),
        (["--set", "slc_blockz=1"], "slc_blocks"),
        (["--set", "device.mu_bytes=often"], "mu_bytes"),
        (["--set", "device.mu_bytes=1000"], "mu_bytes"),
        (["--set", "host.time_scale=-1"], "time_scale"),
        (["--set", "device.pool[0].planes=0"], "planes"),
        (["--set", "device.pool[0].blocks=99999999999"], "blocks"),
        (["--set", "slc_blocks=4000"], "slc_blocks"),
        (["--set", "trace.address=sideways"], "address"),
        (
            ["--replay", "closed:2", "--set", "host.replay=open"],
            "host.replay: host.replay=open sets host.replay as well",
        ),
        (
            ["--seed", "3", "--set", "run.seed=4"],
            "run.seed: run.seed=4 sets run.seed as well",
        ),
        (
            ["--address", "wrap", "--set", "trace.address=clip"],
            "trace.address: given twice, as clip and wrap",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_bad_configuration_exits_with_3(trace: Path, arguments: list[str], told: str) -> None:
    status, stdout, stderr = run(trace, *arguments)
    assert (status, stdout) == (3, "")
    assert told in stderr
    assert "Traceback" not in stderr


@pytest.mark.parametrize(
    ("device", "scheme", "told"),
    [
        ("tiny", "basline", "Did you mean baseline?"),
        ("tiny", "base", "Did you mean baseline?"),
        ("tinny", "baseline", "Did you mean tiny?"),
        ("missing.toml", "baseline", "missing.toml"),
    ],
)
def test_a_wrong_name_suggests_the_right_one(
    trace: Path, device: str, scheme: str, told: str
) -> None:
    done = slcache("run", trace, "--device", device, "--scheme", scheme)
    assert (done.returncode, done.stdout) == (3, b"")
    assert told in done.stderr.decode()


def test_the_wrong_one_of_two_settings_is_named(trace: Path) -> None:
    for sets in (["slc_blocks=99", "run.seed=3"], ["run.seed=3", "slc_blocks=99"]):
        _, _, stderr = run(trace, *(word for each in sets for word in ("--set", each)))
        assert stderr.startswith("error: --set slc_blocks=99: scheme.baseline.slc_blocks = 99")


def test_all_configuration_problems_are_told_at_once(trace: Path) -> None:
    status, _, stderr = run(trace, "--set", "device.nonsense=1", "--set", "host.queue_depth=-1")
    assert status == 3
    assert "nonsense" in stderr
    assert "queue_depth" in stderr


def test_compare_checks_every_scheme_before_the_first_runs(trace: Path) -> None:
    done = slcache("compare", trace, "--device", "tiny", "--schemes", "tlc-only,nonsense")
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"nonsense" in done.stderr


BAD_LINES = {
    "wrong columns": f"{later(0)},test,0,Write,0\n",
    "negative field": line(later(0), "Write", -4096, 4096),
    "text for a number": line(later(0), "Write", "far", 4096),
    "unknown operation": line(later(0), "Wrote", 0, 4096),
    "zero size": line(later(0), "Write", 0, 0),
    "backwards in time": line(EPOCH, "Write", 0, 4096),
}


@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_bad_line_exits_with_4_and_is_named(tmp_path: Path, kind: str) -> None:
    trace = tmp_path / "bad.csv"
    trace.write_text(GOOD + BAD_LINES[kind] + line(later(9), "Read", 0, 4096))
    status, stdout, stderr = run(trace, "--json", "--out", str(tmp_path / "out"))
    assert (status, stdout) == (4, "")
    assert "51" in stderr
    assert not (tmp_path / "out").exists()


def test_a_request_beyond_the_capacity_exits_with_4_and_is_named(tmp_path: Path) -> None:
    trace = tmp_path / "far.csv"
    trace.write_text(GOOD + line(later(0), "Write", TINY_BYTES, 4096))
    status, stdout, stderr = run(trace, "--json", "--out", str(tmp_path / "out"))
    assert (status, stdout) == (4, "")
    assert "request 51" in stderr
    assert "wrap" in stderr
    assert not (tmp_path / "out").exists()


def junk(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 64)


def truncated_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress((GOOD * 40).encode())[:-40])


def truncated_zstd(path: Path) -> None:
    whole = pa.Codec("zstd").compress((GOOD * 40).encode(), asbytes=True)
    path.write_bytes(whole[:-20])


@pytest.mark.parametrize(
    "make",
    [lambda path: None, lambda path: path.write_bytes(b""), junk, truncated_gzip, truncated_zstd],
    ids=["missing", "empty", "junk", "truncated gzip", "truncated zstd"],
)
@pytest.mark.parametrize("verb", ["run", "info", "lint"])
def test_an_unreadable_trace_exits_with_4(
    tmp_path: Path, make: Callable[[Path], object], verb: str
) -> None:
    trace = tmp_path / "bad.csv"
    make(trace)
    if verb == "run":
        status, _, stderr = run(trace)
    else:
        done = slcache("trace", verb, trace, "--trace-format", "msr")
        status, stderr = done.returncode, (done.stderr + done.stdout).decode()
    assert status == 4
    assert stderr
    assert "Traceback" not in stderr


@pytest.mark.parametrize(
    ("policy", "counter"),
    [("wrap", "address_wrapped"), ("clip", "address_clipped"), ("compact", "address_compacted")],
)
def test_an_address_policy_accepts_and_counts(tmp_path: Path, policy: str, counter: str) -> None:
    trace = tmp_path / "far.csv"
    trace.write_text(GOOD + line(later(0), "Write", TINY_BYTES - 4096, 8192))
    status, stdout, stderr = run(trace, "--address", policy, "--json")
    assert status == 0, stderr
    document = json.loads(stdout)
    assert document["config"]["trace"]["address"] == policy
    assert document["trace"]["adjusted"][counter] >= 1


@pytest.mark.parametrize(
    ("policy", "counter"), [("sort:100", "reordered"), ("keep", "kept_unsorted")]
)
def test_an_order_policy_accepts_and_counts(tmp_path: Path, policy: str, counter: str) -> None:
    trace = tmp_path / "back.csv"
    trace.write_text(GOOD + BAD_LINES["backwards in time"])
    status, stdout, stderr = run(trace, "--unsorted", policy, "--json")
    assert status == 0, stderr
    assert json.loads(stdout)["trace"]["adjusted"][counter] >= 1


def test_lint_lists_every_problem_and_exits_with_4(tmp_path: Path) -> None:
    trace = tmp_path / "bad.csv"
    trace.write_text(GOOD + BAD_LINES["wrong columns"] + BAD_LINES["zero size"])
    done = slcache("trace", "lint", trace, "--json")
    assert done.returncode == 4
    document = json.loads(done.stdout)
    assert [problem["line"] for problem in document["problems"]] == [51, 52]
    assert sum(document["counts"].values()) == 2
    assert slcache("trace", "lint", trace).returncode == 4


def test_lint_passes_a_clean_trace(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "good.csv", mixed(20))
    done = slcache("trace", "lint", trace)
    assert done.returncode == 0
    assert b"no problems" in done.stdout


@pytest.mark.parametrize(
    ("lines", "arguments", "told"),
    [
        (["0 0 8 8 1", "1000 0 16 8 0"], [], '--trace-format "mqsim" or "'),
        (["2000 0 8 8 1", "1000 0 16 8 0"], ["mqsim"], '; --unsorted "sort:N" reorders'),
        (["0 0 8 0 1"], ["mqsim"], '(--trace-option zero_size="skip" leaves'),
    ],
)
def test_options_of_the_reader_are_named_as_the_command_line_has_them(
    tmp_path: Path, lines: list[str], arguments: list[str], told: str
) -> None:
    trace = tmp_path / "t.trace"
    trace.write_text("\n".join(lines) + "\n")
    named = [word for name in arguments for word in ("--trace-format", name)]
    done = slcache("trace", "info", trace, *named)
    assert done.returncode == 4
    assert told in done.stderr.decode()
    with pytest.raises(TraceError) as raised:
        api.Trace(str(trace), options=dict.fromkeys(["format"][: len(arguments)], "mqsim")).info()
    assert "--" not in str(raised.value)
