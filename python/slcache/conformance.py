"""Whether a scheme keeps what every scheme owes its user: small random devices, audits, copies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from slcache import _core, catalogue
from slcache.errors import ConfigError, about
from slcache.given.arguments import checked
from slcache.given.once import checked_seed
from slcache.traces.api import Progress

#: Cases of one check.
CASES = 200


@dataclass(frozen=True)
class Failure:
    """The first case that failed, with as few requests as it takes."""

    case: int
    requests: int
    what: str
    #: The device and how it is driven, in TOML.
    device: str


@dataclass(frozen=True)
class Outcome:
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
) -> Outcome:
    """Run small random cases of a scheme up to the first that fails.

    Each draws a device, nearly empty to full, and 1,500 requests with pauses, trims and flushes.
    Audits must find nothing, a copy made in the middle and the original must end with the same
    figures, a restored device must be the saved one, and idle work must end within a pause of ten
    minutes. Raises ConfigError where the scheme refuses every device.
    """
    text = _core.check_scheme(
        scheme=scheme,
        sets=catalogue.sets(settings),
        cases=cases,
        seed=checked_seed(seed),
        progress=on_progress,
    )
    told = json.loads(text)
    if told["ran"] == 0 and told["refused"] > 0:
        raise about(ConfigError(told["reason"]), "scheme")
    failure = None if told["failure"] is None else Failure(**told["failure"])
    return Outcome(told["ran"], told["refused"], failure)
