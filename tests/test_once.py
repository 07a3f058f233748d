"""One thing is said in one way: the cases come from the options and the schema themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import slcache
import verbs
from slcache.cli.app import execute
from slcache.documents.keys import of_config

#: Values of options that may be given several times, each for something else.
SAME = {
    "--set": "slc_blocks=3",
    "--trace-option": "volume=1",
    "--against-option": "volume=1",
    "--workload": "requests=9",
    "--vary": "host.time_scale=0.5,1",
    "--device": "tiny",
    "--scheme": "baseline",
    "--metric": "waf",
    "--minimise": "waf",
    "--maximise": "waf",
    "--keep": "waf<=2",
}


@pytest.mark.few(6)
@pytest.mark.parametrize(("path", "option"), verbs.options(with_flags=True))
def test_no_option_of_any_verb_is_given_twice(
    path: tuple[str, ...],
    option: Any,  # noqa: ANN401
    inputs: verbs.Inputs,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = option.opts[0]
    if name == "--offset":
        pytest.skip("one for each trace")
    if name == "--expect":
        pytest.skip("every figure is checked")
    value = [] if option.is_flag else [SAME.get(name, "1")]
    # Of what may be given several times, values are compared after the arguments are complete.
    needed = inputs.needed(path, name) if option.multiple else []
    status = execute([*path, *needed, name, *value, name, *value])
    told = capsys.readouterr().err
    assert status in (2, 3), told
    assert "given 2 times" in told or "given twice" in told
    assert name.lstrip("-") in told or value[0].split("=")[0] in told


def test_a_dictionary_and_a_dotted_key_are_one_thing() -> None:
    known = [name for name in of_config() if "." in name and not {*"[*"} & {*name}]
    keys = [name for name in known if name.startswith("scheme.baseline.") or name[:7] != "scheme."]
    assert len(keys) > 40
    for key in keys:
        first, _, rest = key.partition(".")
        for other in ({first: {rest: 1}}, {key.rpartition(".")[0]: {key.rpartition(".")[2]: 1}}):
            with pytest.raises(slcache.ConfigError, match="give one of the two"):
                slcache.resolve(device="tiny", scheme="baseline", settings={key: 1, **other})


def test_python_says_one_thing_in_one_way(trace: Path) -> None:
    run: dict[str, Any] = {"trace": trace, "device": "tiny", "scheme": "baseline"}
    twice: list[dict[str, Any]] = [
        {"trace_format": "msr", "trace_options": {"format": "msr"}},
        {"seed": 3, "settings": {"run.seed": 3}},
        {"replay": "open", "settings": {"host": {"replay": "open"}}},
        {"replay": "closed:2", "settings": {"host": {"queue_depth": 2}}},
        {"address": "wrap", "settings": {"trace.address": "clip"}},
        {"settings": {"slc_blocks": 3, "scheme.baseline": {"slc_blocks": 3}}},
        {"settings": {"device.pool[0].blocks": 16, "device": {"pool.0.blocks": 16}}},
        {"trace_options": {"time": "1", "generic.time": "1"}},
        {"trace": "zipf-4k", "seed": 3, "trace_options": {"seed": "4"}},
    ]
    for arguments in twice:
        with pytest.raises(slcache.ConfigError, match="give one of the two"):
            slcache.run(**{**run, **arguments})
    with pytest.raises(slcache.ConfigError, match="give one of the two"):
        slcache.Trace(trace, "msr", {"format": "msr"})
    with pytest.raises(slcache.ConfigError, match="give one of the two"):
        slcache.workload("zipf-4k", {"global.bs": "4k", "global": {"bs": "4k"}})
    # Two names of one scheme are one.
    with pytest.raises(slcache.ConfigError, match="scheme mlc-only: given twice, as tlc-only"):
        slcache.compare(trace, device="gc-8g", schemes=["tlc-only", "mlc-only"])
