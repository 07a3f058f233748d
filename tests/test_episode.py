"""The native episodes: what a step gives, what is refused, what forks and vectors keep."""

from __future__ import annotations

import json
import random
import signal
from array import array
from typing import Any

import pytest

from episodes import episode, figures, random_turns
from slcache import _core
from slcache.documents.contract import current


def room(*on: _core.Episode) -> array[float]:
    """Return memory for the observations of episodes."""
    return array("d", [float("nan")] * sum(len(json.loads(one.observations())) for one in on))


def test_an_observation_goes_into_the_callers_memory() -> None:
    """`out` holds what `observe` returns, in the order of `observations`."""
    run = episode()
    names = [figure["name"] for figure in json.loads(run.observations())]
    out = room(run)
    assert not run.step([], out)
    assert tuple(out) == run.observe()
    window = dict(zip(names, out, strict=True))
    assert window["write_requests"] == 50
    programmed = sum(row["bytes"] for row in run.operations() if row["kind"] == "program")
    assert programmed == window["host_programmed_bytes"] + window["moved_bytes"]


def test_everything_observed_lies_within_its_bounds() -> None:
    """Names are told once; values respect `min` and `max`."""
    run = episode()
    specs = json.loads(run.observations())
    assert len({spec["name"] for spec in specs}) == len(specs)
    out = room(run)
    while not run.step([], out):
        for spec, value in zip(specs, out, strict=True):
            assert value >= spec["min"], spec
            assert spec["max"] is None or value <= spec["max"], spec


def test_an_episode_ends_as_a_run() -> None:
    """Stepped to the end, finished at once, or run: one document."""
    stepped, at_once = episode(), episode()
    while not stepped.step([]):
        pass
    document = _core.run(
        "zipf-4k",
        {
            "device": "tiny",
            "scheme": "baseline",
            "sets": ["trace.address=wrap"],
            "trace_options": [("workload.requests", "4000")],
            "seed": 1,
            "replay": "closed:4",
        },
        progress=None,
    )
    assert figures(document) == figures(stepped.finish()) == figures(at_once.finish())


REFUSED = [
    ({"window": ("write-requests", 10**9)}, "the trace is too short for one window: it has "),
    ({"window": ("pages", 5)}, 'window unit "pages": allowed: requests, write-requests, write-byt'),
    ({"window": ("requests", 0)}, "window = 0 requests: must be at least 1"),
]


@pytest.mark.parametrize(("changes", "told"), REFUSED)
def test_what_no_episode_can_be(changes: dict[str, Any], told: str) -> None:
    """A clear error before anything starts."""
    with pytest.raises(_core.EpisodeError) as caught:
        episode(**changes)
    assert str(caught.value).startswith(told)


def test_a_refused_step_changes_nothing() -> None:
    """Unknown knobs, missing room, the end: the episode stays as it was."""
    run = episode("tlc-only")
    run.step([])
    twin = run.fork()
    for turns, out in [([(99, 1.0)], room(run)), ([], array("d", [0.0])), ([], bytes(8 * 40))]:
        with pytest.raises((_core.EpisodeError, BufferError)):
            run.step(turns, out)  # type: ignore[arg-type]
    assert run.observe() == twin.observe()
    while not run.step([]):
        assert not twin.step([])
    with pytest.raises(_core.EpisodeError, match="the episode is over: all 4000 requests"):
        run.step([])
    assert figures(run.finish()) == figures(twin.finish())
    with pytest.raises(_core.EpisodeError, match="the episode is finished"):
        run.observe()


def test_episodes_side_by_side_are_those_alone() -> None:
    """One buffer, a row each; one that is left alone stays; one can be replaced."""
    alone = [episode("baseline"), episode("baseline", seed=2), episode("baseline", seed=3)]
    side = _core.Episodes(alone, threads=2)
    out, width = room(*alone), len(room(alone[0]))
    assert side.step([[], None, []], out) == [False] * 3
    alone[0].step([])
    alone[2].step([])
    for i, one in enumerate(alone):
        assert tuple(out[i * width : (i + 1) * width]) == one.observe()
        assert side.operations(i) == one.operations()
    side.replace(1, alone[0])
    assert side.episode(1).observe() == alone[0].observe()
    with pytest.raises(_core.EpisodeError, match=r"episode 2: knob 99: baseline has"):
        side.step([[], [], [(99, 0.0)]], out)
    assert side.episode(0).observe() == alone[0].observe()
    with pytest.raises(IndexError, match="episode 3: there are 3"):
        side.episode(3)


def test_a_stream_repeats() -> None:
    """Seed and name make a stream."""
    one, same = _core.Stream(7, "agent"), _core.Stream(7, "agent")
    other = _core.Stream(7, "another")
    draws = [one.below(9) for _ in range(50)]
    assert draws == [same.below(9) for _ in range(50)]
    assert draws != [other.below(9) for _ in range(50)]
    assert 0 <= one.fraction() < 1
    with pytest.raises(ValueError, match="bound = 0"):
        one.below(0)


def test_turned_knobs_are_told() -> None:
    """A result of turned knobs is no constant policy's, and says so; its shape is documented."""
    rng = random.Random(5)
    run = episode("baseline")
    turned = windows = 0
    while True:
        turns = random_turns(run, rng)
        turned += len(turns)
        before = dict(enumerate(run.knob_values())) | dict(turns)
        ended = run.step(turns)
        windows += 1
        assert [before[number] for number, _ in turns] == [
            run.knob_values()[number] for number, _ in turns
        ]
        if ended:
            break
    document = json.loads(run.finish())
    assert document["episode"] == {"windows": windows, "turns": turned}
    assert turned > 10
    current(document)


def test_a_signal_ends_a_step_which_then_goes_on() -> None:
    """What a handler raises comes out of a long step; the next step ends the same window."""

    class RungError(Exception):
        """Raised by the alarm."""

    def ring(*_: object) -> None:
        raise RungError

    many = [("workload.requests", "1000000")]
    run = episode("tlc-only", trace_options=many, window=("requests", 900_000))
    whole = run.fork()
    side = _core.Episodes([run, run], threads=2)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        for step in (lambda: run.step([]), lambda: side.step([[], []], room(run, run))):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(RungError):
                step()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not whole.step([])
    assert not run.step([])
    assert run.observe() == whole.observe() != side.episode(0).observe()
    side.step([[], []], room(run, run))
    assert side.episode(1).observe() == whole.observe()
