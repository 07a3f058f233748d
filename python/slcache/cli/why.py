"""The verb `why`: what the slow requests of a run waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from slcache.cli import checks, console
from slcache.cli import options as opt
from slcache.given import quantity
from slcache.given.options import needed, option, said
from slcache.sentences import wording
from slcache.tables.sheets import Sheet
from slcache.tables.tabular import Table, Words
from slcache.words import units

if TYPE_CHECKING:
    from slcache import slow
    from slcache.slow.answer import Group, Incident

#: Rows of a table; JSON and CSV have all.
_ROWS = 10
#: Parts of a request that are told one by one.
_PARTS = 4


@dataclass(frozen=True, kw_only=True)
class Choice(opt.Shown):
    """The logs of runs, and which of their requests are asked about."""

    logs: Sequence[Path] = field(
        kw_only=False,
        metadata=needed(
            "LOG [LOG]",
            "The request log of a run (--log), or those of two runs of one trace.",
            several=True,
        ),
    )
    slowest: int | None = option("N", "List the N slowest requests.", range=(1, None))
    request: int | None = option("N", "Show one request, by its number.", range=(0, None))
    above_ns: int | None = option(
        "TIME",
        "Requests with at least this latency, such as 10ms.",
        name="--above",
        read=quantity.time_ns,
    )
    percentile: float | None = option(
        "P", "Requests above a percentile (default: 99.9).", range=(0, 100)
    )
    operation: str | None = option(
        "", "Only requests of this kind.", words=("read", "write", "trim", "flush")
    )


@opt.verb
def why(choice: Choice) -> None:
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
        told = "--slowest, --request, --above and --percentile: give one at most"
        raise checks.wrong(told)
    if len(choice.logs) > 2:
        raise checks.wrong(f"{len(choice.logs)} logs; must be one or two", "LOG")
    chosen = slow.Chosen(**said(choice, slow.Chosen))
    read = [slow.read(path) for path in map(Path, choice.logs)]
    found: slow.Answer | slow.Moved = (
        slow.why(read[0], chosen) if len(read) == 1 else slow.moved(read[0], read[1], chosen)
    )
    one_by_one = choice.slowest is not None or choice.request is not None
    parts = partial(_parts, found, one_by_one=one_by_one)
    console.answer(choice.form, found.to_dict(), lambda: _sheets(found), parts)


def _parts(found: slow.Answer | slow.Moved, *, one_by_one: bool) -> Iterator[Table | str]:
    from slcache import slow

    if isinstance(found, slow.Answer):
        return _answer(found, one_by_one=one_by_one)
    return _pair(found)


def _sheets(found: slow.Answer | slow.Moved) -> Iterator[Sheet]:
    from slcache import slow
    from slcache.slow.answer import row

    if isinstance(found, slow.Answer):
        rows = [row(found.slow, index) for index in range(len(found.slow))]
        parts = [each.pop("parts_ns") for each in rows]
        names = [part for part in found.slow.parts if any(part in each for each in parts)]
        for each, own in zip(rows, parts, strict=True):
            each |= {f"{name}_ns": own.get(name, 0) for name in names}
        yield Sheet(rows)
        return
    sides = (("faster", found.faster), ("slower", found.slower))
    yield Sheet(
        [{"in_second": side, **vars(group)} for side, (groups, _) in sides for group in groups]
    )


def _answer(found: slow.Answer, *, one_by_one: bool) -> Iterator[Table | str]:
    log, chosen = found.log, found.slow
    # A table of one request says all that groups of it would.
    alone = len(chosen) == 1
    if one_by_one or alone:
        yield from _requests(found)
    if alone:
        return
    yield _groups(
        f"{log.scheme}: {len(chosen):,} of {len(log):,} requests took {_time(found.above_ns)} "
        "or more",
        found.groups,
    )
    yield _incidents(found.incidents)
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


def _requests(found: slow.Answer) -> Iterator[Table | str]:
    from slcache.slow.answer import row

    rows = (
        (
            str(each["request"]),
            each["operation"],
            _time(each["arrival_ns"]),
            units.size(each["bytes"]),
            _time(each["latency_ns"]),
            "; ".join(_largest(each["parts_ns"], _time)),
        )
        for each in (row(found.slow, index) for index in range(len(found.slow)))
    )
    of_which = Words("of which")
    yield Table("request", ["operation", "arrives at", "size", "takes", of_which], rows)


def _groups(title: str, groups: Sequence[Group]) -> Table:
    rows = (
        (
            _part(group.part),
            f"{group.requests:,}",
            *map(_time, (group.total_ns, group.part_ns, group.worst_ns)),
        )
        for group in groups[:_ROWS]
    )
    titles = ["requests", "took in all", "of which this", "slowest"]
    return Table("mostly", titles, rows, title=title)


def _incidents(incidents: Sequence[Incident]) -> Table:
    more = len(incidents) - _ROWS
    rows = (
        (
            _time(incident.from_ns),
            _time(incident.to_ns - incident.from_ns),
            f"{incident.requests:,}",
            _time(incident.total_ns),
            _time(incident.worst_ns),
            _part(incident.part),
        )
        for incident in incidents[:_ROWS]
    )
    return Table(
        "incident at",
        ["lasts", "slow requests", "took in all", "slowest", Words("mostly")],
        rows,
        caption=f"and {more:,} shorter ones" if more > 0 else "",
    )


def _pair(found: slow.Moved) -> Iterator[Table | str]:
    first, second = _names(found)
    limit = _time(found.above_ns)
    yield f"{found.slow_in_both:,} of {len(found.first):,} requests took {limit} or more in both."
    for name, (groups, incidents) in ((first, found.faster), (second, found.slower)):
        count = sum(group.requests for group in groups)
        if not count:
            yield f"None did in {name} alone."
            continue
        yield _groups(f"{count:,} did in {name} alone", groups)
        yield _incidents(incidents)
    means = [log.latency_ns.mean() for log in (found.first, found.second)]
    told = _largest(found.mean_ns, _signed)
    yield (
        f"Mean: {_time(means[0])} in {first}, {_time(means[1])} in {second}"
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
    return wording.component(f"{kind} {cause.replace('_', '-')}")


def _time(ns: float) -> str:
    return units.duration(ns / 1e3)


def _signed(ns: float) -> str:
    return f"{'+' if ns > 0 else '−'}{_time(abs(ns))}"


def _names(found: slow.Moved) -> tuple[object, object]:
    """Return what the two runs are called: their schemes, or files where those are the same."""
    first, second = found.first, found.second
    if first.scheme != second.scheme:
        return first.scheme, second.scheme
    return first.path, second.path
