"""Pages as a reader has them: driven in a browser without a screen."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
_PATIENCE_S = 120.0


class Browser:
    """A page in Chromium, which is told what to do by messages through a pipe."""

    def __init__(self, into: int, out: int) -> None:
        self._into, self._out = into, out
        self._numbers = itertools.count(1)
        self._read = b""
        self._session: str | None = None
        #: What the page asked of the network, and what it said on the console.
        self.requests: list[str] = []
        self.console: list[str] = []

    def open(
        self, page: Path, width: int = 1000, *, dark: bool = False, fragment: str = ""
    ) -> None:
        """Show a page and wait until its charts are drawn."""
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.do(f"{domain}.enable")
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.do("Emulation.setEmulatedMedia", features=scheme)
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        self.requests.clear()
        self.console.clear()
        self.do("Page.navigate", url=page.as_uri() + fragment)
        self.until(
            "document.readyState === 'complete' && [...document.querySelectorAll('[data-chart]')]"
            ".every((each) => each.querySelector('svg.marks, .marks svg'))"
        )

    def do(self, method: str, **told: object) -> dict[str, Any]:
        """Do something and return what came of it."""
        number = next(self._numbers)
        session = {} if self._session is None else {"sessionId": self._session}
        message = {"id": number, "method": method, "params": told, **session}
        os.write(self._into, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                found: dict[str, Any] = answer["result"]
                return found

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._read:
            part = os.read(self._out, 1 << 20)
            assert part, "the browser has ended"
            self._read += part
        text, _, self._read = self._read.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        told = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        if message.get("method") == "Runtime.consoleAPICalled":
            self.console.append(str([each.get("value") for each in told["args"]]))
        if message.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
            self.console.append(json.dumps(told))
        return message

    def value(self, expression: str) -> Any:  # noqa: ANN401
        """Return what an expression gives in the page."""
        done = self.do("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression holds."""
        end = time.monotonic() + _PATIENCE_S
        while not self.value(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.05)

    def place(self, expression: str) -> tuple[float, float]:
        """Bring an element into sight and return where its middle is."""
        self.value(f"({expression}).scrollIntoView({{ block: 'center' }})")
        time.sleep(0.2)
        box = f"({expression}).getBoundingClientRect()"
        x, y = self.value(f"[{box}.x + {box}.width / 2, {box}.y + {box}.height / 2]")
        return float(x), float(y)

    def mouse(self, kind: str, x: float, y: float, **more: object) -> None:
        """Move, press, release or turn the wheel at a place."""
        self.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float) -> None:
        """Press and release the mouse at a place."""
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", buttons=1, clickCount=1)

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.do("Input.insertText", text=text)

    def printed(self) -> bytes:
        """Return the page on paper, as PDF."""
        return base64.b64decode(self.do("Page.printToPDF", printBackground=False)["data"])


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser that listens at its descriptors 3 and 4."""
    assert CHROMIUM is not None
    told_out, told_in = os.pipe()
    said_out, said_in = os.pipe()
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
    command = [CHROMIUM, *flags, "--hide-scrollbars", "about:blank"]
    process = subprocess.Popen(
        ["bash", "-c", f'exec "$@" 3<&{told_out} 4>&{said_in}', "bash", *command],
        pass_fds=(told_out, said_in),
        stderr=subprocess.DEVNULL,
    )
    os.close(told_out)
    os.close(said_in)
    try:
        yield Browser(told_in, said_out)
    finally:
        process.kill()
        process.wait()
        os.close(told_in)
        os.close(said_out)
