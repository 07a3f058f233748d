"""What a class in Python decides by is the same in every process, or is found not to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from slcache import conformance
from slcache.execute import steady
from support import own_scheme, process


def placing(decision: str) -> str:
    return f"""
    regions = {{"cache": slcache.slc(blocks=3), "store": slcache.dense()}}

    def place(self, write, view):
        import os
        return {decision}
"""


#: Decisions that hang on what Python draws for each process.
BY_HASH = placing('["cache", "store"][hash(str(write.page)) % 2]')
BY_SET = placing('next(iter({f"{name}{write.page % 97}" for name in ("cache", "store")}))[:5]')
#: And what no environment settles.
BY_PROCESS = placing('["cache", "store"][hash((os.getpid(), write.page)) % 2]')
BY_PAGE = placing('["cache", "store"][write.page % 2]')


@pytest.fixture(autouse=True)
def _drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)


def test_equal_runs_of_a_class_that_hangs_on_hashes_are_equal(tmp_path: Path) -> None:
    source = own_scheme(tmp_path, BY_HASH)
    asked: list[str | Path] = ["run", "zipf-4k", "--workload", "requests=300", "--device", "tiny"]
    told = []
    for _ in range(2):
        done = process(*asked, "--scheme", source, "--address", "wrap", "--json")
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        told.append((document["host"], document["flash"]))
    assert told[0] == told[1]


@pytest.mark.parametrize("body", [BY_HASH, BY_SET, BY_PROCESS])
def test_what_differs_from_process_to_process_fails_the_check(body: str, tmp_path: Path) -> None:
    found = conformance.check(own_scheme(tmp_path, body), cases=6)
    assert found.failure is not None
    assert "another process ends with other figures" in found.failure.what
    assert "[device]" in found.failure.device


def test_what_does_not_passes(tmp_path: Path) -> None:
    assert conformance.check(own_scheme(tmp_path, BY_PAGE), cases=6).failure is None


def test_hashes_that_the_user_has_chosen_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steady.hashes() == {"PYTHONHASHSEED": "0"}
    assert steady.others() != steady.hashes()
    for said in ("0", "1", "77"):
        monkeypatch.setenv("PYTHONHASHSEED", said)
        assert steady.hashes() == {}
        assert steady.others()["PYTHONHASHSEED"] != said
