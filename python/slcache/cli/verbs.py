"""The verbs of the command line put together; each is loaded only where it is meant."""

from __future__ import annotations

from cyclopts import App, Group

from slcache.cli import checks

#: What verbs are for, in the order in which help lists them, and the module of each.
_VERBS = {
    "Simulate": {"run": "simulate", "compare": "simulate", "cliff": "cliff"},
    "Vary and search": {
        "sweep": "sweep",
        "tune": "tune",
        "fit": "fit",
        "bound": "bound",
        "reproduce": "reproduce",
    },
    "Results": {"diff": "diff", "report": "report", "why": "why"},
    "Devices, schemes, traces, keys": {
        "devices": "devices",
        "schemes": "schemes",
        "trace": "trace",
        "explain": "explain",
    },
}
#: Verbs that have further verbs below them: what they are is an `app` in their module.
_GROUPS = ("sweep", "devices", "schemes", "trace")

_ABOUT = """Simulate hybrid SSDs: replay a block trace under several SLC-cache schemes.

Example:
  slcache compare web.csv.gz --device tiny --schemes tlc-only,baseline

Exit status: 0 done, 1 the run failed (also: it needs more memory than there is),
2 wrong usage, 3 configuration not valid, 4 trace not readable, 130 interrupted
(by Ctrl-C or SIGTERM). `slcache --version` prints the version, and
`slcache --install-completion` installs the completion of your shell.
"""


def app() -> App:
    """Return the command line."""
    made = App(
        name="slcache",
        help=_ABOUT,
        help_flags=(),
        version_flags=(),
        config=checks.said_once,
    )
    for purpose, verbs in _VERBS.items():
        group = Group(purpose)
        for name, module in verbs.items():
            place = f"slcache.cli.{module}:{'app' if name in _GROUPS else name}"
            made.command(place, name=name, group=group)
    made.command("slcache.cli.complete:show", name="--show-completion", show=False)
    made.command("slcache.cli.complete:install", name="--install-completion", show=False)
    return made
