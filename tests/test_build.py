"""Users get the model built as it is measured, and tests check the numbers of every crate."""

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text())
PROFILES: dict[str, Any] = MANIFEST["profile"]


def test_the_model_is_one_unit_in_every_optimised_profile() -> None:
    units = {
        name: PROFILES[name]["package"]["slcache-core"]["codegen-units"]
        for name in ("release", "dev")
    }
    assert units == {"release": 1, "dev": 1}


def test_every_crate_with_tests_is_checked_in_them() -> None:
    # A crate that is not named would be tested with numbers that wrap, as users' builds let them.
    crates = {f"slcache-{Path(member).name}" for member in MANIFEST["workspace"]["default-members"]}
    checked = {
        name
        for name, profile in PROFILES["test"]["package"].items()
        if profile["debug-assertions"] and profile["overflow-checks"]
    }
    assert checked == crates
