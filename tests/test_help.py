"""Every key is explained, and a user is helped by pages, examples and names that a shell offers."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache import catalogue, explain
from slcache.cli import help
from slcache.documents import schemata
from slcache.names import leaves
from support import slcache as command
from support import stdout
from verbs import verbs

#: Stands where a key may have any name.
ANY = "anything"
#: Sections whose names a class or a format decides.
OPEN = ("scheme.custom.options", "trace.options")


def test_every_value_of_results_and_settings_has_a_key(comparison: slcache.Comparison) -> None:
    results = (run.to_dict() for run in comparison.runs)
    # What a sketch or a scheme counts has no names of its own.
    own = re.compile(r"\.(cdf|histogram|values|figures)\b")
    names = {n for r in results for n, v in leaves(r) if v != [] and not own.search(n)}
    for entry in slcache.devices():
        for scheme in slcache.fitting(device=entry["name"])[0]:
            config = slcache.resolve(device=entry["name"], scheme=scheme)
            names |= {name for name, _ in leaves(config)}
    for name in {re.sub(r"\[\d+\]", "[0]", re.sub(r"(\[\d+\])+$", "", name)) for name in names}:
        assert explain.find(name)[0].key.text, name


def spelt(entry: explain.Entry) -> list[str]:
    """Return a key as somebody asks for it, for each name that varies in it."""
    return explain.spelt(entry.key.name) or [entry.key.name.replace("*", ANY)]


def test_every_key_is_explained_and_none_with_a_segment_that_is_not() -> None:
    assert len(schemata.config_keys()) > 400
    assert len(schemata.result_keys()) > 200
    assert [entry.key.name for entry in explain.entries() if not entry.key.text] == []
    names = [name for entry in explain.entries() for name in spelt(entry)]
    # Some shells take brackets for patterns.
    bare = {name.replace("[]", ""): name for name in names[::3] if "[]" in name}
    for asked, name in {**{name: name for name in names}, **bare}.items():
        assert name in [found.key.name for found in explain.find(asked)]
    for turn, name in enumerate(names[::11]):
        steps = name.split(".")
        at = turn % len(steps)
        wrong = ("nonsense", f"{steps[at]}x", "*")[turn % 3]
        if steps[at] != ANY and ".".join(steps[:at]) not in OPEN:
            with pytest.raises(ValueError, match="is no key"):
                explain.find(".".join([*steps[:at], wrong, *steps[at + 1 :]]))
    config = {entry.key.name for entry in explain.entries() if entry.of == "configuration"}
    for entry in explain.entries()[::15]:
        for name in spelt(entry):
            front = "config" if entry.of != "configuration" else "waf"
            if name in config and front == "config":
                continue
            with pytest.raises(ValueError, match="is no key") as refused:
                explain.find(f"{front}.{name}")
            assert front == "waf" or f"did you mean {name}?" in str(refused.value)


def test_a_key_tells_type_unit_values_and_default() -> None:
    (victim,) = explain.find("scheme.baseline.slc.victim")
    assert "greedy" in dict(victim.key.allowed)
    assert "Two-level" in victim.paper
    (blocks,) = explain.find("device.pool[3].blocks")
    assert (blocks.key.unit, blocks.key.type) == ("blocks", "whole number")
    assert explain.find("config.device.pool[0].blocks") == [blocks]
    (table,) = explain.find("scheme.client.dynamic.table")
    assert explain.find("scheme.client.dynamic.table[3][0]") == [table]
    with pytest.raises(ValueError, match="is no key"):
        explain.find("scheme.baseline.slc_blocks[0]")
    (sizes,) = explain.find("scheme.baseline.slc_blocks")
    assert sizes.key.default == "64"
    (cause,) = explain.find("waf.by_cause.gc")
    assert "garbage collection" in cause.key.text
    assert len(explain.find("slc_blocks")) > 3
    (metric,) = explain.find("read_p99_ns")
    assert (metric.of, metric.key.unit) == ("metric", "ns")
    asked = ("scheme.baseline.slc_blocks", "--device", "tiny")
    (found,) = json.loads(command("explain", *asked, "--json").stdout)
    assert (found["of"], found["here"]["value"]) == ("configuration", 3)
    assert found["here"]["line"].startswith("slc_blocks = 3")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("host.replay", ["As fast as the queue depth allows", '"open"']),
        ("device.pool", ["device.pool[].page_bytes"]),
        ("", ["precondition", "provenance", "waf"]),
        ("device.pool.blocks", ["4 to 65536"]),
        ("host.link", ["pcie3x4, pcie4x4"]),
        ("scheme.sa.slc_blocks", []),
        # What a key stands at on a device, and where that says it.
        ("wordlines --device tiny", ["device.pool[0].wordlines = 8", "preset tiny:"]),
        ("wordlines --device tiny", ["8 SLC pages or 24 TLC pages per block"]),
        ("device.pool[1].blocks --device hyssd-st", ["device.pool[1].blocks = 5,462"]),
        ("slc_blocks --device tiny", ["nvc does not fit: device.disk = absent"]),
        # What does nothing while a scheme's other keys are as by default.
        ("scheme.sa.slc.separate_frontier", ["no effect", "emptied into the store"]),
        ("scheme.tlc-only.idle.threshold_ns", ["no effect", "clean.idle_free_ratio above 0"]),
        ("scheme.nvc.large_request_bytes", ["no effect", "policy 1 and policy 2 tell"]),
    ],
)
def test_the_verb_prints_keys_and_what_they_stand_at(words: str, told: list[str]) -> None:
    printed = " ".join(stdout("explain", *words.split()).split())
    assert [each for each in told if each not in printed] == []
    assert ("by default no effect" in printed) == ("no effect" in told)


def test_a_unit_is_no_range() -> None:
    """What a key may be its schema says: ratios go up to 8, a device is overwritten 100 times."""
    assert [entry for entry in explain.entries() if " to " in entry.key.unit] == []
    (ratio,) = explain.find("scheme.client.fold.ratio")
    assert (ratio.key.unit, ratio.key.allowed) == ("1", (("0 to 8", ""),))


def test_a_list_that_a_device_leaves_empty_has_no_first_value() -> None:
    empty = [e for e in explain.entries() if e.key.name.startswith("scheme.custom.regions[].")]
    assert empty
    for entry in empty:
        assert explain.standing(entry, "tiny", entry.key.name.rpartition(".")[2]) is None
        with pytest.raises(ValueError, match=r"regions has no \[0\]"):
            explain.standing(entry, "tiny", entry.key.name.replace("[]", "[0]"))


def test_a_key_is_told_without_all_schemes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes its time to be held against the device."""
    asked: list[str] = []
    resolve = catalogue.resolve

    def counted(*, device: str, scheme: str) -> dict[str, Any]:
        asked.append(scheme)
        return resolve(device=device, scheme=scheme)

    monkeypatch.setattr(catalogue, "resolve", counted)
    for name, schemes in (("host.replay", ["tlc-only"]), ("scheme.sa.slc_blocks", ["sa"])):
        (entry,) = (each for each in explain.find(name) if each.of == "configuration")
        explain.standing(entry, "tiny", name)
        assert asked == schemes
        asked.clear()


def test_every_value_of_a_pool_stands_where_it_was_asked_for() -> None:
    config = slcache.resolve(device="hyssd-st", scheme="hyssd")
    pools = [(name, value) for name, value in leaves(config) if name.startswith("device.pool")]
    for name, value in pools[::3]:
        asked = f"{name}[0]" if isinstance(value, list) and value else name
        (entry, *_) = explain.find(asked)
        found = explain.standing(entry, "hyssd-st", asked)
        assert found is not None, asked
        assert (found.key, found.value) == (asked, value[0] if asked != name else value)


@pytest.mark.parametrize("device", ["rl-32g", "a result"])
def test_schemes_that_do_not_fit_are_told_and_the_others_go_on(
    device: str, comparison: slcache.Comparison, tmp_path: Path
) -> None:
    """Of every third scheme its last key: what it stands at, or why the scheme does not fit."""
    if device == "a result":
        device = str(tmp_path / "result.json")
        Path(device).write_text(json.dumps(comparison.runs[1].to_dict()))
    fit, problems = slcache.fitting(device=device)
    keys_of: dict[str, explain.Entry] = {}
    for entry in explain.entries():
        section, *rest = entry.key.name.split(".")
        if (entry.of, section, len(rest), entry.key.section) == (
            *("configuration", "scheme", 2),
            False,
        ):
            keys_of[rest[0]] = entry
    assert keys_of.keys() == {*fit, *problems} - {"disk-only"}
    for scheme, entry in list(keys_of.items())[::3]:
        at = explain.standing(entry, device, entry.key.name)
        assert at is None or at.problem == problems.get(scheme, ""), scheme


VERBS = [path for path, _ in verbs()]


@pytest.mark.parametrize("verb", [[], ["trace"], *VERBS], ids=" ".join)
def test_help_has_an_example(verb: list[str]) -> None:
    done = command(*verb, "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Example" in done.stdout.decode()
    assert f"slcache {' '.join(verb)}".encode() in done.stdout


EXAMPLES = {
    example.replace("\\\n", "")
    for _, verb in verbs()
    for example in re.findall(r"(?m)^  (slcache (?:.*\\\n)*.*)$", verb.help)
}
#: Those that read a file, which is not there.
FIRST = re.compile(r"slcache( [a-z]+)+ ([./\w]+[.](csv|parquet|json|toml|log|py)\b|out/)")
READING = sorted(line for line in EXAMPLES if FIRST.match(line) and "examples/" not in line)
assert len(READING) > 50


@pytest.mark.few(5)
@pytest.mark.parametrize("example", READING)
def test_all_that_an_example_lacks_is_its_file(example: str, cwd: Path) -> None:
    done = command(*shlex.split(example)[1:])
    assert done.returncode
    assert re.search("(?i)no such (file|preset)|there is no file", done.stderr.decode()), done


@pytest.mark.parametrize("group", [[], ["trace"]])
def test_a_missing_command_is_told_beside_the_help(group: list[str]) -> None:
    done = command(*group)
    assert done.returncode == 2
    assert b"Usage: slcache" in done.stdout
    assert "a command is missing" in done.stderr.decode()


def offered(*words: str) -> list[str]:
    """What bash offers behind these words, the last of which is half typed."""
    done = stdout("__complete", *words)
    return [line.split("\t")[0] for line in done.partition("begin\n")[2].splitlines()]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["run", "t.csv", "--device", "hyssd-m"], "hyssd-mt"),
        (["run", "hierarchy-we"], "hierarchy-web_0"),
        (["run", "t.csv", "--device", "README"], "README.md"),
        (["run", "t.csv", "--scheme", "slc-o"], "slc-only"),
        (["compare", "t.csv", "--schemes", "baseline,hier"], "baseline,hierarchy"),
        (["run", "t.csv", "--trace-format", "ms"], "msr"),
        (["run", "t.csv", "--set", "precondition.ov"], "precondition.overwrite="),
        (["run", "t.csv", "--set", "host.replay=c"], "host.replay=closed"),
        (["sweep", "t.csv", "--scheme", "baseline,hier"], "baseline,hierarchy"),
        (["tune", "--device", "nvc-h"], "nvc-hdd"),
        (["explain", "host.dur"], "host.duration_ns"),
        (["devices", "show", "ips-3"], "ips-384g"),
    ],
)
def test_bash_is_offered_what_fits(words: list[str], first: str) -> None:
    assert offered(*words)[0] == first


def test_everything_known_is_offered() -> None:
    names = {name for name, _ in help.scheme("")}
    assert names >= {entry["name"] for entry in slcache.schemes()}
    assert {name for name, _ in help.devices("")} == {d["name"] for d in slcache.devices()}
    plain = [key for key in schemata.config_keys().values() if not key.section]
    assert len(help.settings("")) == len(plain)
    assert ("all", "every scheme that the device can run") in help.schemes("")
    assert all(name != "baseline,baseline" for name, _ in help.schemes("baseline,"))
    assert help.settings("no.such=") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_shown(shell: str) -> None:
    script = stdout("--show-completion", shell)
    assert "__complete" in script
    assert all(word in script for word in ("compare", "memory-in", "workloads"))
    # What stands below a field of a class of options.
    assert shell == "bash" or "Run N bootstrap draws" in script
