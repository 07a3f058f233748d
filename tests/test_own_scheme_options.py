"""Options of a class of one's own: keys with ranges, in every verb, and in searches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import slcache
from slcache.search.space import VALUES_MOST
from slcache.study.axes import Axis
from support import here, own_scheme

EXAMPLES = Path("examples/schemes")
BASELINE = f"{EXAMPLES}/baseline.py:Baseline"
DEMO = "examples/demo.toml"


def options_of(scheme: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that a configuration ends with."""
    config = slcache.resolve(device="tiny", scheme=scheme, settings=settings)
    own: dict[str, Any] = config["scheme"]["custom"]
    return own


def test_options_are_keys_with_defaults_ranges_and_short_names(tmp_path: Path) -> None:
    body = """
        largest: int = slcache.option(4096, minimum=512, maximum=65536, help="the largest")
        share: float = slcache.option(0.5, minimum=0, maximum=1)
        kind: str = slcache.option("a", choices=("a", "b"))
        eager: bool = slcache.option(False)
    """
    scheme = own_scheme(tmp_path, body)
    plain = options_of(scheme, {})["options"]
    assert plain == {"largest": 4096, "share": 0.5, "kind": "a", "eager": False}
    for key in ("largest", "scheme.custom.options.largest"):
        assert options_of(scheme, {key: 512})["options"]["largest"] == 512
    assert options_of(scheme, {"share": 1})["options"]["share"] == 1.0
    wrong = (("largest", 3), ("largest", 1.5), ("share", "x"), ("kind", "c"), ("eager", 1))
    for key, value in wrong:
        with pytest.raises(slcache.ConfigError, match=f"scheme.custom.options.{key} = .*must be"):
            options_of(scheme, {key: value})
    with pytest.raises(slcache.ConfigError, match=r"options.smallest = 3: must be absent: the"):
        options_of(scheme, {"smallest": 3})


def test_settings_can_be_for_one_of_several_classes(trace: Path) -> None:
    keys = ("scheme.Baseline.start_free_ratio", "scheme.baseline.slc.start_free_ratio")
    settings = dict.fromkeys(keys, 0.0)
    schemes = [BASELINE, "baseline"]
    both = slcache.compare(trace, device="tiny", schemes=schemes, settings=settings)
    first, second = both.documents
    assert first["config"]["scheme"]["custom"]["options"]["start_free_ratio"] == 0.0
    assert first["waf"] == second["waf"]


def test_a_value_alone_is_another_default(tmp_path: Path) -> None:
    file = tmp_path / "family.py"
    file.write_text(
        "import slcache\n\nclass A(slcache.Scheme):\n"
        "    largest: int = slcache.option(9, minimum=1)\n\n"
        "class B(A):\n    largest = 5\n\nclass C(A):\n    largest = 0\n"
    )
    assert options_of(f"{file}:B", {})["options"]["largest"] == 5
    with pytest.raises(slcache.ConfigError, match="whose default is a whole number, at least 1"):
        options_of(f"{file}:C", {})


def test_keys_without_effect_are_refused(tmp_path: Path, trace: Path) -> None:
    plain = own_scheme(tmp_path, "pass")
    with pytest.raises(slcache.ConfigError, match="nothing is done in idle time"):
        slcache.resolve(device="tiny", scheme=plain, settings={"idle.threshold_ns": 10**6})
    numbered = own_scheme(tmp_path, "regions = {'a': slcache.slc(3), 'b': slcache.dense()}")
    with pytest.raises(slcache.ConfigError, match="names a number of blocks of its own"):
        slcache.resolve(device="tiny", scheme=numbered, settings={"slc_blocks": 4})
    assert options_of(numbered, {}).get("slc_blocks") is None
    victims = {}
    for victim in ("greedy", "random"):
        settings = {"dense.victim": victim}
        run = slcache.run(trace, device="tiny", scheme=BASELINE, settings=settings)
        victims[victim] = run.documents[0]["waf"]["total"]
    assert len(set(victims.values())) == 2


def test_studies_take_classes(tmp_path: Path, trace: Path) -> None:
    schemes, vary = ["baseline", BASELINE], {"slc_blocks": [4, 6]}
    study = slcache.sweep(
        trace, device=DEMO, scheme=schemes, vary=vary, jobs=2, out=tmp_path / "study"
    )
    rows = study.table.to_dicts()
    waf = {
        (row["scheme"], row.get("slc_blocks", row.get("scheme.slc_blocks"))): row["waf"]
        for row in rows
    }
    assert len(waf) == 4
    assert all(waf["baseline", blocks] == waf[BASELINE, blocks] for blocks in (4, 6))


def test_what_a_class_declares_is_shown() -> None:
    source = f"{EXAMPLES}/two_temperatures.py:TwoTemperatures"
    shown = here("schemes", "show", source)
    assert shown.returncode == 0, shown.stderr
    for words in ("decides: place, reclaim, destination", "dense.victim", "greedy", "largest"):
        assert words in shown.stdout.decode()
    told = here("schemes", "show", source, "--json")
    assert [row["name"] for row in json.loads(told.stdout)["regions"]] == ["cache", "hot", "cold"]


def test_settings_may_name_the_class_in_every_verb(tmp_path: Path, trace: Path) -> None:
    source = own_scheme(tmp_path, "largest: int = slcache.option(4096, minimum=512)")
    for key in ("largest", "scheme.Mine.largest", "scheme.custom.options.largest"):
        config = slcache.resolve(device="tiny", scheme=source, settings={key: 1024})
        assert config["scheme"]["custom"]["options"]["largest"] == 1024
        found = slcache.tune(
            trace, device="tiny", scheme=source, vary={key: "1024..65536"}, points=2, jobs=1
        )
        assert {point.settings[key] for point in found.tried} - {1024}
    config = slcache.resolve(device="tiny", scheme=source, settings={"scheme.Mine.slc_blocks": 2})
    assert config["scheme"]["custom"]["slc_blocks"] == 2
    with pytest.raises(slcache.ConfigError, match="give one of the two"):
        slcache.resolve(
            device="tiny", scheme=source, settings={"scheme.Mine.largest": 512, "largest": 1024}
        )


#: The least of a key, whatever comes of it.
SIZED: dict[str, Any] = {"device": "tiny", "least": "largest", "such_that": "waf<=99"}


#: The option, and the values of the search.
SEARCHES = [
    ("int = slcache.option(4096, minimum=512)", "1024..65536"),
    *(
        ("float = slcache.option(1.0)", said)
        for said in ("1024..65536", "4096..1GiB:4096", "0..1:0.00001", "0..20000")
    ),
]


@pytest.mark.parametrize(("option", "said"), SEARCHES)
def test_the_step_that_a_search_names_is_the_nearest_that_passes(
    option: str, said: str, tmp_path: Path, trace: Path
) -> None:
    """Whole steps of those that were said, and one less is too many."""
    source = own_scheme(tmp_path, f"largest: {option}")
    with pytest.raises(slcache.UsageError) as refused:
        slcache.tune(trace, **SIZED, scheme=source, vary={"largest": said})
    key, _, named = str(refused.value).partition("such as ")[2].partition("=")
    sizes, given = ([float(size) for size in Axis.read(key, text).values] for text in (named, said))
    assert len(sizes) <= VALUES_MOST
    least, step = given[1] - given[0], sizes[1] - sizes[0]
    times = round(step / least)
    assert step == pytest.approx(times * least)
    assert len(given) / (times - 1) > VALUES_MOST
