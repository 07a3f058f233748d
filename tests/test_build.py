"""The build that users get compiles the model as the one that is measured."""

import tomllib
from pathlib import Path


def test_the_model_is_one_unit_in_every_optimised_profile() -> None:
    profiles = tomllib.loads((Path(__file__).parents[1] / "Cargo.toml").read_text())["profile"]
    units = {
        name: profiles[name]["package"]["slcache-core"]["codegen-units"]
        for name in ("release", "develop")
    }
    assert units == {"release": 1, "develop": 1}
