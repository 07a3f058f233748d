"""What a configuration is told about though it runs is said wherever its figures are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import slcache
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
    assert [words in note for note in run.notes()] == [True]
    run.save(tmp_path / "kept")
    kept = slcache.load(tmp_path / "kept")
    for shown in (run.summary(), run.report(), run._repr_html_(), kept.summary()):
        assert words in " ".join(shown.split())
    plain = slcache.run(trace, device="tiny", scheme="baseline")
    assert plain.notes() == []
    names = [scheme, "sa"]
    both = slcache.compare(
        trace, device="tiny", schemes=names, settings=settings, address="wrap", seeds=2
    )
    for shown in (both.summary(), both.report()):
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
    again = command("rerun", tmp_path / "kept", "--json")
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["equal"]


def test_a_device_is_warned_of(tmp_path: Path) -> None:
    preset = Path(__file__).parent.parent / "presets" / "devices" / "tiny.toml"
    device = tmp_path / "odd.toml"
    text = preset.read_text().replace('"3328KiB"', "3_000_001")
    device.write_text(text.replace("program_ns = [1_000_000]", "program_ns = [1_000]"))
    warned = slcache.device_facts(device)["warnings"]
    assert any("rounded down" in warning for warning in warned)
    assert any("tlc.program_ns: 1000 ns" in warning for warning in warned)
