"""A shell is offered the names that fit what is half typed."""

from __future__ import annotations

import pytest

import slcache
from slcache.cli import complete
from slcache.documents import keys
from support import slcache as command


def offered(*words: str) -> list[str]:
    """What bash offers behind these words, the last of which is half typed."""
    done = command("__complete", *words)
    assert done.returncode == 0, done.stderr
    return [
        line.split("\t")[0] for line in done.stdout.decode().partition("begin\n")[2].splitlines()
    ]


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
    names = {name for name, _ in complete.scheme("")}
    assert names >= {entry["name"] for entry in slcache.schemes()}
    assert {name for name, _ in complete.devices("")} == {d["name"] for d in slcache.devices()}
    plain = [key for key in keys.of_config().values() if not key.section]
    assert len(complete.settings("")) == len(plain)
    assert ("all", "every scheme that the device can run") in complete.schemes("")
    assert all(name != "baseline,baseline" for name, _ in complete.schemes("baseline,"))
    assert complete.settings("no.such=") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_shown(shell: str) -> None:
    done = command("--show-completion", shell)
    assert done.returncode == 0, done.stderr
    script = done.stdout.decode()
    assert "__complete" in script
    assert all(word in script for word in ("compare", "memory-in", "workloads"))
    # What stands below a field of a class of options.
    assert shell == "bash" or "Run N bootstrap draws" in script
