"""Pages in a browser without a screen."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


def browsed(page: Path, point: str = "") -> str:
    """Return a page as a browser has it once its script is through, which is silent."""
    assert CHROMIUM is not None
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr")
    done = subprocess.run(
        [CHROMIUM, *flags, "--virtual-time-budget=2000", "--dump-dom", page.as_uri() + point],
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert b"CONSOLE" not in done.stderr, done.stderr
    return done.stdout.decode()
