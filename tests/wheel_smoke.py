"""Install the wheel of a folder in an empty environment and use what is in it.

`python tests/wheel_smoke.py FOLDER`; what the package needs comes from the package index. With
`stripped` a wheel for users is looked at only, and has to be stripped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

#: Above this, something came along that is not needed to run, such as debug information.
WHEEL_BYTES_MAX = 12 << 20
EXTENSION_BYTES_MAX = 32 << 20
SCRIPT = """
import importlib.metadata, pathlib, slcache
LOSSY = ["label", "response", "time"]
assert ".venv" not in slcache.__file__ and "site-packages" in slcache.__file__, slcache.__file__
assert slcache.__version__ == importlib.metadata.version("slcache")
both = slcache.compare(
    "zipf-4k", device="tiny", schemes=["tlc-only", "baseline"], address="wrap",
    trace_options={"workload.requests": "500"},
)
both.save("out")
slcache.load("out")
assert {path.suffix for path in pathlib.Path("out").iterdir()} == {".html", ".json", ".parquet"}
slcache.trace.generate("zipf-4k", "t.csv.xz", overrides={"requests": 9}, to="msr", lossy=LOSSY)
assert slcache.trace.info("t.csv.xz")["requests"] == 9
print(both.summary())
"""


def check_content(wheel: Path, *, stripped: bool) -> None:
    """Look at the wheel itself: tags, sizes, and what must be in it."""
    assert "-cp311-abi3-" in wheel.name, f"{wheel.name}: not for every Python from 3.11 on"
    assert wheel.stat().st_size < WHEEL_BYTES_MAX, f"{wheel.name}: {wheel.stat().st_size} bytes"
    with zipfile.ZipFile(wheel) as file:
        entries = {entry.filename: entry for entry in file.infolist()}
        (extension,) = (name for name in entries if name.endswith(".so"))
        assert entries[extension].file_size < EXTENSION_BYTES_MAX, entries[extension].file_size
        # The names of sections stand between zeros.
        for section in (b"\0.debug_info\0", *([b"\0.symtab\0"] if stripped else [])):
            assert section not in file.read(extension), f"{extension}: is not stripped"
        for needed in ("py.typed", "_core.pyi", "templates/report.html.j2"):
            assert f"slcache/{needed}" in entries, f"{needed} is not in the wheel"
    size = entries[extension].file_size
    print(f"{wheel.name}: {wheel.stat().st_size:,} bytes, its extension {size:,}")


def check_use(wheel: Path, folder: Path) -> None:
    """Install the wheel where nothing else is, and use it away from the sources."""
    venv.create(folder / "env", with_pip=True)
    programs = folder / "env" / "bin"
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def run(*command: str | Path) -> None:
        subprocess.run(command, cwd=folder, env=plain, check=True)

    run(programs / "python", "-m", "pip", "install", "--quiet", wheel.resolve())
    run(programs / "slcache", "--version")
    run(programs / "slcache", "schemes", "--device", "tiny")
    run(programs / "python", "-c", SCRIPT)


def main() -> None:
    """Check the newest wheel of the folder that is named."""
    where, *how = sys.argv[1:]
    wheel = max(Path(where).glob("*.whl"), key=lambda path: path.stat().st_mtime)
    check_content(wheel, stripped=bool(how))
    if not how:
        with tempfile.TemporaryDirectory(prefix="slcache-wheel-") as folder:
            check_use(wheel, Path(folder))


if __name__ == "__main__":
    main()
