"""Whatever is changed in valid inputs, the command line ends as it says and names what is wrong."""

from __future__ import annotations

import gzip
import json
import random
import warnings
from collections.abc import Callable
from pathlib import Path

import changed_inputs
import changed_runs
import slcache
from slcache.execute.store import Store
from support import cases


def test_changed_inputs_end_with_a_documented_status_and_a_message(
    record_property: Callable[[str, object], None],
) -> None:
    done, seed = changed_runs.check(seconds=15, most=cases(125))
    record_property("told", f"changed inputs: {done} command lines from SLCACHE_SEED={seed} on")
    assert done > 0


def test_a_changed_kept_result_is_a_result_or_none(
    comparison: slcache.Comparison, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    store, first, count = Store(tmp_path), changed_runs.first_seed(), cases(40)
    store.put("kept", comparison.documents[0])
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    text = json.dumps(comparison.documents[0]).encode()
    for seed in range(first, first + count):
        rng = random.Random(seed)
        packed = changed_inputs.bytes_changed(whole, rng)
        if seed % 2:
            packed = gzip.compress(changed_inputs.text_changed(text, rng), 1)
        path.write_bytes(packed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            document = store.get("kept")
        assert document is None or isinstance(document, dict), f"SLCACHE_SEED={seed}"
    record_property("told", f"changed kept results: {count} from SLCACHE_SEED={first} on")
