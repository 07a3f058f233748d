"""What users can lengthen takes time in proportion; what has no end is refused."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import proportion
import slcache
from slcache.sweep.axes import GRID_MAX, POINTS_MAX, Axis, Sampling

TINY = Path(__file__).parents[1] / "presets" / "devices" / "tiny.toml"


def unknown(count: int) -> dict[str, int]:
    return {f"k{i}": 1 for i in range(count)}


def resolve(settings: object, device: object = "tiny") -> None:
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.resolve(device=device, scheme="baseline", settings=settings)  # type: ignore[arg-type]
    assert len(str(caught.value).splitlines()) <= 101


def settings(count: int, _: Path) -> None:
    resolve(unknown(count))


def of_another_scheme(count: int, _: Path) -> None:
    resolve({f"scheme.ips.{key}": 1 for key in unknown(count)})


def toml(count: int, file: Path) -> None:
    file = file.with_suffix(".toml")
    file.write_text("".join(f"{key} = 1\n" for key in unknown(count)))
    resolve(file)


def in_json(count: int, file: Path) -> None:
    file = file.with_suffix(".json")
    file.write_text(json.dumps(unknown(count)))
    resolve(file)


def device(count: int, file: Path) -> None:
    file = file.with_suffix(".toml")
    file.write_text("".join(f"{key} = 1\n" for key in unknown(count)) + TINY.read_text())
    resolve({}, file)


def pools(count: int, file: Path) -> None:
    file = file.with_suffix(".toml")
    head, pool = TINY.read_text().split("[[device.pool]]", 1)
    # Whole ones: what is missing in a part would be told, and repaired, for each of them.
    one = re.split(r"\n\[(?!device\.pool)", pool, maxsplit=1)[0]
    file.write_text(head + count * f"[[device.pool]]{one}\n")
    resolve({}, file)


def values(count: int, _: Path) -> None:
    Axis.read("slc_blocks", list(range(8 * count)))
    Axis.read("slc_blocks", ",".join(map(str, range(count))))


def repeated_values(count: int, _: Path) -> None:
    with pytest.raises(ValueError, match=r"given twice: .* and [\d,]+ more$"):
        Axis.read("slc_blocks", 2 * list(range(8 * count)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "work",
    [settings, of_another_scheme, toml, in_json, device, pools, values, repeated_values],
)
def test_twice_as_much_takes_twice_as_long(
    work: Callable[[int, Path], None], tmp_path: Path
) -> None:
    proportion.check(lambda count: work(count, tmp_path / "list"))


def test_a_long_list_of_wrong_keys_is_told_in_short() -> None:
    with pytest.raises(slcache.ConfigError) as caught:
        slcache.resolve(device="tiny", scheme="baseline", settings=unknown(20_000))
    lines = str(caught.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "more is wrong; the first 100 errors are told"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("random:1000000000", "at most 100,000 points"),
        ("random:100001", "at most 100,000 points"),
        (f"latin-hypercube:{'9' * 5000}", "at most 100,000 points"),
    ],
)
def test_draws_have_a_limit(said: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Sampling.read(said)
    assert Sampling.read(f"random:{POINTS_MAX}").count == POINTS_MAX


def test_a_grid_and_a_study_have_a_limit() -> None:
    axes = [Axis.read(f"k{i}", "1..100") for i in range(5)]
    with pytest.raises(ValueError, match=f"10,000,000,000 points; at most {GRID_MAX:,}"):
        Sampling().points(axes)
    with pytest.raises(slcache.ConfigError, match="too many points; at most 100,000"):
        slcache.sweep(
            "zipf-4k",
            device="tiny",
            scheme="baseline",
            vary={"host.time_scale": "0.01..1/1001", "slc_blocks": "1..100"},
        )


@pytest.mark.parametrize(
    "verb",
    [
        ["run", "/dev/zero", "--device", "tiny", "--scheme", "baseline"],
        ["compare", "/dev/zero", "--device", "tiny", "--schemes", "baseline,tlc-only"],
        ["trace", "info", "/dev/zero"],
        ["trace", "lint", "/dev/zero"],
        ["run", "zipf-4k", "--device", "tiny", "--scheme", "baseline", "--config", "/dev/zero"],
        ["sweep", "zipf-4k", "--device", "tiny", "--scheme", "baseline", "--points", "/dev/zero"],
        ["report", "/dev/zero"],
        ["diff", "/dev/zero", "/dev/zero"],
        ["fit", "/dev/zero", "--out", "fitted.toml"],
        ["diff", "--rerun", "/dev/zero"],
        ["why", "/dev/zero"],
    ],
    ids=lambda verb: " ".join(verb[:2]),
)
def test_what_has_no_end_is_refused(verb: list[str]) -> None:
    limits = (4 << 30, 4 << 30)
    done = subprocess.run(
        [sys.executable, "-m", "slcache", *verb],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limits),
    )
    is_trace = verb[0] in {"trace", "fit"} or (
        verb[0] in {"run", "compare"} and "--config" not in verb
    )
    assert done.returncode in ({4} if is_trace else {1, 2, 3}), done.stderr
    assert "/dev/zero" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["parquet", "tencent"])
@pytest.mark.parametrize("volume", ["error", "none of them"])
def test_a_long_list_of_volumes_is_told_in_short(kind: str, volume: str, tmp_path: Path) -> None:
    text = tmp_path / "t.csv"
    text.write_text("".join(f"1538323199,0,8,0,{number}\n" for number in range(1000)))
    file = text
    if kind == "parquet":
        file = tmp_path / "t.parquet"
        slcache.Trace(text, format="tencent", options={"volume": "each"}).convert(file)
    with pytest.raises(slcache.TraceError) as caught:
        slcache.Trace(file, format=kind, options={"volume": volume}).info()
    assert "and 988 more" in str(caught.value)
    assert len(str(caught.value)) < 600 + len(str(tmp_path))
