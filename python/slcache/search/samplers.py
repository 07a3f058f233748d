"""The samplers that suggest points: Optuna's, seeded, with what suits a few hundred points."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal, get_args

from slcache._core import RunError

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

Name = Literal["tpe", "nsga2", "random", "qmc"]
NAMES: tuple[Name, ...] = get_args(Name)

#: Points drawn at random before TPE begins to learn.
_STARTUP = 16
_POPULATION = 20


def made(name: Name, seed: int) -> BaseSampler:
    """Return a sampler; the same seed suggests the same points after the same answers."""
    from optuna import samplers

    match name:
        case "tpe":
            # Parameters are looked at together, and apart by scheme where these have their own.
            return samplers.TPESampler(
                seed=seed, multivariate=True, group=True, n_startup_trials=_STARTUP
            )
        case "nsga2":
            return samplers.NSGAIISampler(seed=seed, population_size=_POPULATION)
        case "random":
            return samplers.RandomSampler(seed=seed)
        case "qmc":
            return samplers.QMCSampler(seed=seed, scramble=True, warn_independent_sampling=False)


def check() -> None:
    """Raise RunError where Optuna is missing."""
    try:
        import optuna  # noqa: F401
    except ImportError as error:
        raise RunError("a search needs Optuna: pip install 'slcache[tune]'") from error


def quiet() -> warnings.catch_warnings[None]:
    """Return a context in which Optuna says nothing: neither of its settings nor of each trial."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    context: warnings.catch_warnings[None] = warnings.catch_warnings(
        action="ignore", category=optuna.exceptions.ExperimentalWarning
    )
    return context
