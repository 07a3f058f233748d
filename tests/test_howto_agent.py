"""What the page on training an agent shows can be run, and its pictures exist."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from slcache.cli.app import execute

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/howto/train-an-agent.md"
TEXT = PAGE.read_text(encoding="utf-8")
#: What makes the page's training shorter; everything else of it is run as it is written.
SHORTER = {"range(1, 121)": "range(1, 3)", "% 10 ==": "% 2 ==", "per_knob=5": "per_knob=2"}


def test_its_listings_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("rl-1g.toml", "mixed-sizes.toml"):
        (tmp_path / "examples").mkdir(exist_ok=True)
        shutil.copy(ROOT / "examples" / name, tmp_path / "examples" / name)
    monkeypatch.chdir(tmp_path)
    code = "".join(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
    for long, short in SHORTER.items():
        assert long in code
        code = code.replace(long, short)
    exec(compile(code, PAGE.name, "exec"), {})
    printed = capsys.readouterr().out
    first = re.findall(r"```\n(slc_blocks = .*?)```", TEXT, re.DOTALL)
    assert printed.startswith(first[0])
    assert (tmp_path / "episode.png").stat().st_size > 10_000
    assert "slcache env replay episode.json" in TEXT
    assert execute(["env", "replay", "episode.json"]) == 0


def test_its_pictures_and_links_exist() -> None:
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", TEXT)
    assert sum(target.endswith(".png") for target in targets) == 3
    for target in targets:
        assert (PAGE.parent / target).is_file()
        assert not target.endswith(".png") or (PAGE.parent / target).stat().st_size < 150_000
