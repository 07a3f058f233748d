"""Whatever is changed in valid inputs, the command line ends as it says and names what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import changed_runs
from support import cases


def test_changed_inputs_end_with_a_documented_status_and_a_message(
    record_property: Callable[[str, object], None],
) -> None:
    done, seed = changed_runs.check(seconds=8, most=cases(80))
    record_property("told", f"changed inputs: {done} command lines from SLCACHE_SEED={seed} on")
    assert done > 0
