"""What no argument of any public function can be is refused by the argument's name."""

from __future__ import annotations

import inspect
import re
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import slcache
from slcache import gym
from slcache.reproduce import equations
from test_python_arguments import needed

#: What no argument of any function is.
NEVER: list[Any] = [object(), b"x", [None], "\ud800", 10**400, float("nan")]
#: A function, and arguments with which it begins.
Call = tuple[Any, dict[str, Any]]
OF_SCHEMES = {"slc", "dense", "option", "reclaim"}
#: Functions that have no arguments, or are there under another name.
WITHOUT = {"devices", "formats", "trace.generate"}


def of_traces(trace: Path, out: Path) -> dict[str, Call]:
    """Return the functions on traces, which are methods of one too."""
    found: dict[str, Call] = {}
    for name in ("info", "lint", "picture", "twin", "convert"):
        more = {"output": out, "path": out}
        for prefix, of, given in (
            ("trace", slcache.trace, {"trace": trace}),
            ("Trace", slcache.Trace(trace), {}),
        ):
            function = getattr(of, name)
            known = inspect.signature(function).parameters
            taken = {key: value for key, value in more.items() if key in known}
            found[f"{prefix}.{name}"] = (function, {**given, **taken})
    return found


def of_models() -> dict[str, Call]:
    """Return the equations of papers."""
    tier = dict.fromkeys(equations.TIER_KEYS, 1)
    hits = {"write_share": 0.5, "write_hits": 0.5, "read_hits": 0.5, "data_bytes": 1}
    chip, passed = (dict.fromkeys(keys, 1) for keys in (equations.CHIP_KEYS, equations.VOLUME_KEYS))
    return {
        "equations.hyssd_cost": (
            equations.hyssd_cost, {"device": {"fast": tier, "dense": tier}, **hits},
        ),
        "equations.nvc_lifespan": (
            equations.nvc_lifespan, {"chip": chip, "slc_share": 0.5, "volumes": passed},
        ),
        "equations.victim_utilisation": (equations.victim_utilisation, {"utilisation": 0.5}),
    }  # fmt: skip


def of_results(run: slcache.Result, folder: Path) -> dict[str, Call]:
    """Return what is done with results."""
    found: dict[str, Call] = {
        "Result": (slcache.Result, {"document": run.to_dict()}),
        "Comparison": (slcache.Comparison, {"runs": [run]}),
        "load": (slcache.load, {"path": folder}),
        "rerun": (slcache.rerun, {"saved": run}),
        "diff": (slcache.diff, {"first": run, "second": run}),
    }
    of_run: dict[str, dict[str, Any]] = {
        "save": {"path": folder / "o"}, "load": {"path": folder},
        "plot_histogram": {"name": "actions"}, "plot_curve": {"name": "cost"}, "to_polars": {},
    }  # fmt: skip
    for name, given in of_run.items():
        found[f"Result.{name}"] = (getattr(run, name), given)
    return found


def calls(trace: Path, folder: Path) -> dict[str, Call]:
    """Return every public function with arguments that it begins with."""
    run = slcache.run(trace, device="tiny", scheme="baseline")
    load: dict[str, Any] = {"trace": trace, "device": "tiny", "scheme": "baseline"}
    found: dict[str, Call] = {
        **of_traces(trace, folder / "o.parquet"),
        **of_models(),
        **of_results(run, folder),
        "Trace": (slcache.Trace, {"path": trace}),
        "Trace.twin_by_blocks": (slcache.Trace(trace).twin_by_blocks, {"output": folder / "t.csv"}),
        "sweep": (slcache.sweep, {**load, "vary": {"host.time_scale": [0.5]}}),
        "tune": (slcache.tune, {**load, "vary": {"host.queue_depth": [1, 2]}}),
        "cliff": (slcache.cliff, {"device": "tiny"}),
        "workloads": (slcache.workloads, {"described": False}),
        "schemes": (slcache.schemes, {}),
        "gym.SlcCacheEnv": (gym.SlcCacheEnv, {"device": "tiny", "workload": trace}),
    }
    for name in ("run", "compare", "resolve", "fitting", "device_facts", "workload", "generate"):
        found[name] = (getattr(slcache, name), needed(getattr(slcache, name), trace, folder))
    return found


@pytest.fixture(scope="module")
def every(trace: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Call]:
    return calls(trace, tmp_path_factory.mktemp("every"))


def functions(module: ModuleType, names: list[str]) -> set[str]:
    """Return the functions of a module by their names below `slcache`."""
    prefix = module.__name__.partition(".")[2]
    found = {name for name in names if inspect.isfunction(getattr(module, name))}
    return {f"{prefix}.{name}" if prefix else name for name in found}


def test_every_public_function_is_tried(every: dict[str, Call]) -> None:
    listed = functions(slcache, slcache.__all__) | functions(slcache.trace, slcache.trace.__all__)
    assert listed - every.keys() == OF_SCHEMES | WITHOUT


def refused(function: Any, given: dict[str, Any]) -> slcache.Error | None:  # noqa: ANN401
    """Return the error that a call ends in; None where it goes well."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(**given)
    except slcache.Error as error:
        return error
    return None


def test_what_no_argument_is_names_the_argument(every: dict[str, Call]) -> None:
    tried = 0
    for of, (function, given) in every.items():
        known = inspect.signature(function).parameters.values()
        for name in [each.name for each in known if each.kind is not each.VAR_KEYWORD]:
            for wrong in NEVER:
                error = refused(function, {**given, name: wrong})
                case = f"{of}({name}={wrong!r:.20})" if wrong != 10**400 else f"{of}({name}=10^400)"
                assert error is not None, case
                assert name in (error.key, *re.findall(r"\w+", str(error))), f"{case}: {error}"
                tried += 1
    assert tried > 1000
