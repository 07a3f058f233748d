"""Pages as a reader has them: in a browser without a screen, and their scripts in Node."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
NODE = shutil.which("node")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


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


def figures(page: str, name: str) -> dict[str, Any]:
    """Return the figures that a page has for its script."""
    (found,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', page)
    document: dict[str, Any] = json.loads(found)
    return document


def in_node(functions: str, asked: str) -> Any:  # noqa: ANN401
    """Return what an expression gives beside a script's functions."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, "-"],
        input=f"{functions}\nconsole.log(JSON.stringify({asked}))".encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    return json.loads(done.stdout)


def check_script(page: str, folder: Path) -> None:
    """Have Node parse a page's script."""
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    whole = folder / "whole.js"
    whole.write_text(script)
    assert NODE is not None
    subprocess.run([NODE, "--check", whole], check=True, timeout=60)
