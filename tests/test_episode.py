"""The native episodes: turned knobs are told, and a signal ends a step that then goes on."""

from __future__ import annotations

import json
import random
import signal
from array import array

import pytest

from episodes import episode, random_turns
from slcache import _core
from slcache.documents.saved import current


def room(*on: _core.Episode) -> array[float]:
    """Return memory for the observations of episodes."""
    return array("d", [float("nan")] * sum(len(json.loads(one.observations())) for one in on))


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

    many = [("workload.requests", "400000")]
    run = episode("tlc-only", trace_options=many, window=("requests", 350_000))
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
