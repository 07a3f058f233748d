"""The verb `why`: what the slow requests of a run waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from slcache import units
from slcache.cli import console
from slcache.cli import options as opt
from slcache.options import arguments_of, option, parsing
from slcache.sentences import notes, verdict
from slcache.tables.table import Columns, Table

if TYPE_CHECKING:
    from slcache import slow


#: Rows of a table; JSON and CSV have all.
_ROWS = 10
#: Parts of a request that are told one by one.
_PARTS = 4


@dataclass(frozen=True, kw_only=True)
class WhyOptions(opt.OutputOptions):
    """The logs of runs, and which of their requests are asked about."""

    logs: Sequence[Path] = opt.argument(
        "LOG [LOG]",
        "The request log of a run (--log), or those of two runs of one trace.",
        several=True,
    )
    slowest: int | None = option("N", "List the N slowest requests.", range=(1, None))
    request: int | None = option("N", "Show one request, by its number.", range=(0, None))
    above_ns: int | None = option(
        "TIME",
        "Requests with at least this latency, such as 10ms.",
        name="--above",
        read=parsing.time_ns,
    )
    percentile: float | None = option(
        "P", "Requests above a percentile (default: 99.9).", range=(0, 100)
    )
    operation: str | None = option(
        "", "Only requests of this kind.", words=("read", "write", "trim", "flush")
    )


@opt.verb
def why(choice: WhyOptions) -> None:
    """Show why requests were slow: what they waited for, and when.

    Service and waiting add up to each request's latency, to the nanosecond. Slow requests are
    grouped by their largest part, and by incidents: intervals in which at least one slow
    request is in progress. With two logs of one trace, it shows which requests were slow in
    one run only, and the parts by which the means differ.

    Examples:
      slcache run web.csv.gz --device tiny --scheme baseline --log baseline.parquet
      slcache why baseline.parquet
      slcache why baseline.parquet --slowest 5 --operation write
      slcache why baseline.parquet ips.parquet --above 10ms

    """
    from slcache import slow

    given = [choice.slowest, choice.request, choice.above_ns, choice.percentile]
    if sum(value is not None for value in given) > 1:
        raise opt.wrong("--slowest, --request, --above and --percentile: give one at most")
    if len(choice.logs) > 2:
        raise opt.wrong(f"{len(choice.logs)} logs; must be one or two", "LOG")
    chosen = slow.Chosen(**arguments_of(choice, slow.Chosen))
    read = [slow.read(path) for path in map(Path, choice.logs)]
    if len(read) == 2:
        moved = slow.moved(read[0], read[1], chosen)
        console.answer(choice.form, moved.to_dict(), [*_states(read), *_pair(moved)])
        return
    found = slow.why(read[0], chosen)
    one_by_one = choice.slowest is not None or choice.request is not None
    parts = [*_states(read), *_answer(found, one_by_one=one_by_one)]
    console.answer(choice.form, found.to_dict(), parts)


def _states(logs: Sequence[slow.Log]) -> list[str]:
    """Return the line of the runs' states, if their logs tell them."""
    line = notes.states_line([log.state for log in logs if log.state])
    return [line] if line else []


_REQUEST: Columns = {
    "request": lambda each: str(each["request"]),
    "operation": "operation",
    "arrives at": "arrival_ns",
    "size": "bytes",
    "takes": "latency_ns",
    "of which": lambda each: "; ".join(_largest(each["parts_ns"], _time)),
}
_GROUP: Columns = {
    "mostly": lambda group: _part(group["part"]),
    "requests": "requests",
    "took in all": "total_ns",
    "of which this": "part_ns",
    "slowest": "worst_ns",
}
_INCIDENT: Columns = {
    "incident at": "from_ns",
    "lasts": lambda incident: _time(incident["to_ns"] - incident["from_ns"]),
    "slow requests": "requests",
    "took in all": "total_ns",
    "slowest": "worst_ns",
    "mostly": lambda incident: _part(incident["part"]),
}


def _answer(found: slow.Answer, *, one_by_one: bool) -> Iterator[Table | str]:
    from slcache.slow import row

    log, chosen = found.log, found.slow
    rows = [row(chosen, index) for index in range(len(chosen))]
    parts = [part for part in chosen.parts if any(part in each["parts_ns"] for each in rows)]
    plain = [key for key in rows[0] if key != "parts_ns"]
    records = [{**each, **{f"{n}_ns": each["parts_ns"].get(n, 0) for n in parts}} for each in rows]
    # A table of one request says all that groups of it would.
    columns = _REQUEST if one_by_one or len(chosen) == 1 else {}
    yield Table(records, columns, only=[*plain, *(f"{part}_ns" for part in parts)])
    if len(chosen) == 1:
        return
    limit = _time(found.above_ns)
    title = f"{log.scheme}: {len(chosen):,} of {len(log):,} requests took {limit} or more"
    yield Table(map(vars, found.groups), _GROUP, title=title, most=_ROWS)
    yield Table(map(vars, found.incidents), _INCIDENT, most=_ROWS, more=" that took less")
    yield _share(found)
    deciding = found.deciding()
    if len(deciding) < len(found.incidents):
        lasted = sum(incident.to_ns - incident.from_ns for incident in deciding)
        whole = int(log.completion_ns.max() - log.arrival_ns.min())
        yield (
            f"90 % of it is in {len(deciding):,} of {len(found.incidents):,} incidents, "
            f"{_time(lasted)} of {_time(whole)}."
        )


def _share(found: slow.Answer) -> str:
    mean = found.log.latency_ns.mean()
    others = len(found.log) - len(found.slow)
    told = f"They took {units.percent(found.share)} of all requests' time."
    if not others:
        return told
    without = (found.log.total_ns - found.slow_ns) / others
    return f"{told} The mean is {_time(mean)}, and {_time(without)} without them."


def _pair(found: slow.Moved) -> Iterator[Table | str]:
    names, limit = _names(found), _time(found.above_ns)
    yield f"{found.slow_in_both:,} of {len(found.first):,} requests took {limit} or more in both."
    sides = {"faster": found.faster, "slower": found.slower}
    alone: Columns = {"slow in": lambda each: names[each["in_second"]]}
    for place, columns, title in (
        (0, _GROUP, "slow in one run alone, by what took most of the time"),
        (1, _INCIDENT, f"the incidents of each that took most, {_ROWS} at most"),
    ):
        found_of = {side: each[place][:_ROWS] for side, each in sides.items()}
        rows = [{"in_second": side, **vars(each)} for side in sides for each in found_of[side]]
        yield Table(rows, {**alone, **columns} if rows else {}, title=title)
    means = [log.latency_ns.mean() for log in (found.first, found.second)]
    told = _largest(found.mean_ns, _signed)
    yield (
        f"Mean: {_time(means[0])} in {names['faster']}, {_time(means[1])} in {names['slower']}"
        f"{': ' if told else ''}{', '.join(told)}."
    )


def _largest(parts_ns: Mapping[str, float], spelled: Callable[[float], str]) -> list[str]:
    """Return the first parts of a time one by one, and the others together."""
    parts = list(parts_ns.items())
    rest = sum(ns for _, ns in parts[_PARTS:])
    told = [f"{spelled(ns)} {_part(name)}" for name, ns in parts[:_PARTS]]
    return [*told, f"{spelled(rest)} other"] if rest else told


def _part(name: str) -> str:
    """Return a part such as `wait_gc` in words."""
    kind, _, cause = name.partition("_")
    return verdict.component(f"{kind} {cause.replace('_', '-')}")


def _time(ns: float) -> str:
    return units.duration(ns / 1e3)


def _signed(ns: float) -> str:
    return f"{'+' if ns > 0 else '−'}{_time(abs(ns))}"


def _names(found: slow.Moved) -> dict[str, str]:
    """Return where requests were slow that are faster or slower in the second run.

    Runs are called by their schemes, or by their files where those are the same.
    """
    logs = found.first, found.second
    same = logs[0].scheme == logs[1].scheme
    first, second = (str(log.path if same else log.scheme) for log in logs)
    return {"faster": first, "slower": second}
