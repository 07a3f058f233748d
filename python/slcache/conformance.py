"""Whether a scheme keeps what every scheme owes its user: small random devices, audits, copies."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slcache import _boot, _core, catalogue
from slcache.errors import ConfigError, about
from slcache.options import checked
from slcache.options.content import checked_seed
from slcache.trace import Progress

#: Cases of one check, and how many of them another process runs too.
CASES, _REPEATED = 200, 10
#: What that process does.
_AGAIN = """
import json, sys
from slcache import _core, code
given = json.load(sys.stdin)
with code.call([given["scheme"]]):
    print("", _core.check_scheme(**given, progress=None), sep="\\n")
"""


@dataclass(frozen=True)
class Failure:
    """The first case that failed, with as few requests as it takes."""

    case: int
    requests: int
    what: str
    #: The device and how it is driven, in TOML.
    device: str


@dataclass(frozen=True)
class Conformance:
    """What came of a check."""

    #: Cases that ran, and those whose device the scheme refuses.
    ran: int
    refused: int
    failure: Failure | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        failure = None if self.failure is None else vars(self.failure)
        return {"ran": self.ran, "refused": self.refused, "failure": failure}


@checked
def check(
    scheme: str,
    *,
    settings: Mapping[str, Any] | None = None,
    cases: int = CASES,
    seed: int = 1,
    on_progress: Progress | None = None,
) -> Conformance:
    """Run small random cases of a scheme up to the first that fails.

    Each draws a device, nearly empty to full, and 1,500 requests with pauses, trims and flushes.
    Audits must find nothing, a copy made in the middle and the original must end with the same
    figures, a restored device must be the saved one, and idle work must end within a pause of ten
    minutes. The figures of the first cases must be those of another process, in which hashes of
    texts differ. Raises ConfigError where the scheme refuses every device.
    """
    given: dict[str, Any] = {"scheme": scheme, "sets": catalogue.sets(settings)}
    given["seed"] = checked_seed(seed)
    told = json.loads(_core.check_scheme(**given, cases=cases, progress=on_progress))
    if told["ran"] == 0 and told["refused"] > 0:
        raise about(ConfigError(told["reason"]), "scheme")
    if told["failure"] is None and ":" in scheme:
        first = given | {"cases": min(cases, _REPEATED)}
        told["failure"] = _differing(told["passed"], first)
    failure = None if told["failure"] is None else Failure(**told["failure"])
    return Conformance(told["ran"], told["refused"], failure)


def _differing(passed: list[dict[str, Any]], given: dict[str, Any]) -> dict[str, Any] | None:
    """Return the first case whose figures are others in another process; None where all agree."""
    there = subprocess.run(
        [sys.executable, "-c", _AGAIN],
        input=json.dumps(given),
        env=os.environ | _boot.other_hashes() | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    what = (
        "another process ends with other figures: decisions hang on what differs from process to "
        "process, such as hash() of a text, the order of a set, id() or the time"
    )
    lines = (there.stdout if there.returncode == 0 else there.stderr).strip().splitlines()
    if there.returncode == 0:
        again = json.loads(lines[-1])["passed"]
    else:
        again, what = [], f"another process cannot run it: {lines[-1] if lines else 'no word'}"
    expected = [case for case in passed if case["case"] < given["cases"]]
    pairs = itertools.zip_longest(expected, again)
    return next(({**(here or other), "what": what} for here, other in pairs if here != other), None)
