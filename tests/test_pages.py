"""Pages of the documentation hold together, and their commands print what they show."""

from __future__ import annotations

import contextlib
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cyclopts import CycloptsError

import slcache
from generated_pages import DOCS, FAMILIES, KINDS, MODES, in_family, pages
from generated_pages import PAGES as GENERATED
from slcache import catalogue, explain
from slcache.cli.app import command_line
from slcache.execute import engine
from slcache.execute.run import Run
from slcache.study.model import read_study, study_of_document
from support import contains, stdout
from support import slcache as ask
from verbs import verbs

REPOSITORY = Path(__file__).resolve().parent.parent
_BESIDE = [
    REPOSITORY / folder for folder in (".", "decisions", "examples", "python/slcache/experiments")
]
_WRITTEN = [*DOCS.rglob("*.md"), *(page for folder in _BESIDE for page in folder.glob("*.md"))]
#: Every page of the site and of the repository; some are made for the site alone.
TEXTS = {page: page.read_text(encoding="utf-8") for page in sorted(_WRITTEN)} | pages()
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
SLCACHE = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?slcache (.*)$")
#: Signs of the shell behind which a command is over.
END = {"|", ">", ">>", "<", "&&", ";", "&", "#"}


def commands(text: str) -> list[list[str]]:
    """Return the arguments of every `slcache` command in the blocks of a page."""
    found = []
    for block in FENCE.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            match = SLCACHE.match(line.strip())
            if match:
                found.append(_words(match[1]))
    return found


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>&;<")
    lexer.whitespace_split = True
    words = list(lexer)
    return words[: next((i for i, word in enumerate(words) if word in END), len(words))]


COMMANDS = [
    pytest.param(words, id=f"{page.relative_to(REPOSITORY)}: {' '.join(words)}")
    for page, text in TEXTS.items()
    for words in commands(text)
]


def test_the_commands_are_found() -> None:
    assert len(COMMANDS) > 60
    assert _words("run T --json | jq .host # x") == ["run", "T", "--json"]


@pytest.fixture(scope="module")
def program() -> Any:  # noqa: ANN401
    """The command line with all of its verbs."""
    return command_line()


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_is_understood(words: list[str], program: Any) -> None:  # noqa: ANN401
    """Verb, options and values are those there are; files need not exist."""
    if {"--help", "-h", "--version"} & set(words):
        return
    try:
        program.parse_args(words, print_error=False, exit_on_error=False)
    except (CycloptsError, slcache.UsageError) as error:
        # A folder of the reader's own is there for the reader.
        if not str(error).endswith("does not exist"):
            pytest.fail(str(error))


#: Recordings of a reader's own, in whose place the shipped one is read.
OWN = re.compile(r"TRACE|\$(OLTP|PIECE)|[\w./-]+[.](csv|parquet|zst|gz|trace)")
#: What a command lacks that names other files of the reader's own.
LACKING = re.compile("(?i)no such (file|preset)|there is no file")
RUNNING = re.compile(": (run|compare|cliff|sweep|tune) (?!show)")


class _BegunError(BaseException):
    """A command has come to its first run, which nobody asks for here."""


def _begin(*_: Any, **__: Any) -> None:  # noqa: ANN401
    raise _BegunError


@pytest.mark.long
@pytest.mark.parametrize("words", [each for each in COMMANDS if RUNNING.search(str(each.id))])
def test_a_command_fits_its_device(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Device, schemes, keys and sizes go together, whatever the recording holds."""
    monkeypatch.setattr(engine.Driver, "run", _begin)
    monkeypatch.setattr(Run, "document", lambda run, *_, **__: _begin(run.config))
    lists = dict(re.findall(r"^(NINE|DISK)=(\S+)", text("when-each-wins.md"), re.MULTILINE))
    words = [lists.get(word.removeprefix("$"), word) for word in words]
    if OWN.fullmatch(words[1]) and not Path(words[1]).exists():
        words[1] = SHIPPED
    if "--executor" in words:
        at = words.index("--executor")
        del words[at : at + 2]
    with contextlib.suppress(_BegunError):
        done = ask(*words)
        # A recording that is another may not fit; what only its page or nobody has is looked for.
        told = done.stderr.decode()
        assert done.returncode in (0, 4) or LACKING.search(told), told


def test_the_front_page_shows_what_the_demo_prints() -> None:
    """But for where lines of a terminal end."""
    (shown,) = (
        block for block in FENCE.findall(TEXTS[REPOSITORY / "README.md"]) if "p99.9" in block
    )
    made = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"compare \$\(DEMO_TRACE\) [^\n]*\n\t\t(.*) --out", made)
    assert recipe is not None
    words = ["compare", SHIPPED, "--device", "examples/demo.toml", *recipe[1].split()]
    told = " ".join(shown.removesuffix("...\n").split())
    assert told in " ".join(stdout(*words).split())


@pytest.mark.long
def test_the_commands_of_the_front_page_run_as_they_stand() -> None:
    """In their order, with files that are shipped or that they write; each shows a difference."""
    for words in commands(TEXTS[REPOSITORY / "README.md"]):
        if words[0] == "reproduce":
            # Its quick run has tests of its own.
            continue
        done = ask(*words)
        assert done.returncode == 0, (words, done.stderr)
        if words[0] == "compare":
            factors = {float(each) for each in re.findall(r"([\d.]+)×", done.stdout.decode())}
            assert max(abs(each - 1) for each in factors) > 0.1, words


def test_the_demo_is_asked_for_as_its_picture_was_drawn() -> None:
    """Closed replay decides who wins it."""
    for page in (DOCS / "index.md", DOCS / "python.md", REPOSITORY / "README.md"):
        pair = re.compile(
            r"demo[.]toml.*tlc-only\W{1,4}baseline\b|tlc-only.*demo[.]toml", re.DOTALL
        )
        asked = [block for block in FENCE.findall(TEXTS[page]) if pair.search(block)]
        assert asked, page
        assert all("closed:4" in block for block in asked), page


#: Pages of several schemes, each of which has its own table.
FAMILIES_OF_SCHEMES = ("baseline.md", "hierarchy.md", "hyssd.md", "nvc.md", "rl.md")


def test_a_page_begins_with_its_answer() -> None:
    """That is a sentence or few, then a table or a listing."""
    for page in DOCS.rglob("*.md"):
        _, _, body = TEXTS[page].partition("\n")
        first = re.search(r"^(\||```)", body, re.MULTILINE)
        if page.parent.name != "schemes" or page.name not in FAMILIES_OF_SCHEMES:
            assert first is not None, page
            assert len(body[: first.start()].split()) < 140, page


def check_site(repository: Path) -> None:
    """Check that a site lists every page of its documentation, and no other."""
    nav = (repository / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"([\w./-]+\.md)$", nav, re.MULTILINE)
    docs = repository / "docs"
    assert sorted(listed) == sorted(
        {str(p.relative_to(docs)) for p in docs.rglob("*.md")}.union(GENERATED)
    )


def test_every_page_is_in_the_site() -> None:
    check_site(REPOSITORY)
    page = TEXTS[REPOSITORY / "CONTRIBUTING.md"]
    rows = re.findall(r"^\| (`[\w-]+\.png`.*?) \| (.*) \|$", page, re.MULTILINE)
    named = [name for names, _ in rows for name in re.findall(r"`([\w-]+\.png)`", names)]
    assert sorted(named) == sorted(p.name for p in (DOCS / "images").iterdir())
    assert all("`" in command or "](" in command for _, command in rows)
    assert all(path.stat().st_size < 150_000 for path in (DOCS / "images").iterdir())


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", TEXTS[page])):
        path, _, anchor = target.partition("#")
        if "://" in target:
            continue
        to = (page.parent / path).resolve() if path else page
        # The site is read without the repository around it.
        assert DOCS in to.parents or DOCS not in page.parents, target
        # A page of the site alone is linked to from the site alone.
        made = DOCS in page.parents and to.parent == DOCS and to.name in GENERATED
        assert made or (to.exists() and to.name not in GENERATED), target
        if anchor and to.suffix == ".md":
            assert anchor in _anchors(TEXTS[to]), target


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()).strip() for heading in headings)
    return {re.sub(r"\s+", "-", heading) for heading in plain}


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return {name: TEXTS[DOCS / name] for name in GENERATED}


def test_every_verb_and_option_is_on_the_page(made: dict[str, str]) -> None:
    page = made["command-line.md"]
    for path, verb in verbs():
        assert f"### slcache {' '.join(path)}\n" in page
        part = page.partition(f"### slcache {' '.join(path)}\n")[2].partition("\n###")[0]
        for parameter in verb.params:
            name = parameter.opts[0]
            if name.startswith("--") and name != "--help":
                assert re.search(rf"[` ]{name}[`, ]", part), (path, name)
    keys, results = made["keys.md"], made["result-keys.md"]
    for entry in explain.entries():
        name = entry.key.name
        if entry.key.section or re.fullmatch(r"scheme[.][^.]+", name):
            continue
        if entry.of == "configuration":
            assert_stands(re.sub(r"^scheme[.][^.]+[.]", "", name), keys)
        else:
            assert_stands(name.removeprefix("figures."), results)
    ignored = (DOCS.parent / ".gitignore").read_text(encoding="utf-8").split()
    assert {f"/docs/{name}" for name in made} <= {*ignored}
    assert all(re.match(r"# \w.*\n\n\w", text) for text in made.values())


def assert_stands(name: str, page: str) -> None:
    """A key has a row, its own or its family's, which names the members that are not the usual."""
    row, members = in_family(name)
    found = re.findall(rf"^\| `{re.escape(row)}` \|.*", page, re.MULTILINE)
    for word, member in members.items():
        usual = member in MODES + KINDS
        said = rf"{word}: [^:.]*\b{member}\b"
        found = [one for one in found if re.search(said, one) or (usual and f"{word}: " not in one)]
    assert found, name


def test_words_that_stand_for_several_keys_are_no_words_of_keys() -> None:
    for entry in explain.entries():
        words = re.split(r"[.\[\]_]+", entry.key.name)
        assert not {word for word, _ in FAMILIES} & set(words), entry.key.name


ROOT = Path(__file__).parent.parent
PAGES = (
    pytest.param("tutorial.md", marks=pytest.mark.long),
    "howto/describe-your-drive.md",
    pytest.param("howto/run-a-study.md", marks=pytest.mark.long),
    pytest.param("howto/fit-a-drive.md", marks=pytest.mark.slow),
)


def text(page: str) -> str:
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def shown(page: str) -> list[tuple[str, str]]:
    """Return every command of a page that stands with its output, and the output."""
    return re.findall(r"```\n\$ (slcache [^\n]*)\n(.*?)```", text(page), re.DOTALL)


def files(page: str) -> list[tuple[str, str]]:
    """Return the files that a page shows, whose first line names them."""
    return [
        (name, f"# {name}\n{rest}")
        for name, rest in re.findall(r"```toml\n# (\S+)\n(.*?)```", text(page), re.DOTALL)
    ]


@pytest.fixture(autouse=True)
def _beside_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder of its own."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_its_commands_print_what_it_shows(page: str, tmp_path: Path) -> None:
    for name, content in files(page):
        Path(name).write_text(content)
    commands = shown(page)
    assert commands, page
    for command, output in commands:
        printed = stdout(*shlex.split(command)[1:]).replace(f"{tmp_path.resolve()}/", "")
        assert contains(printed, output), f"{command}\n{printed}"


@pytest.mark.parametrize("page", ["python.md", "howto/tune.md"])
def test_its_listings_of_python_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    listings = re.findall(r"```python\n(.*?)```", text(page), re.DOTALL)
    assert listings, page
    exec("\n".join(listings), {})
    for output in re.findall(r"as `\w+` does:\n\n```\n(.*?)```", text(page), re.DOTALL):
        assert contains(capsys.readouterr().out, output)


#: Listings behind which stands what they print.
LISTED = (
    "howto/ask-the-cost-model.md",
    pytest.param("howto/run-a-study.md", marks=pytest.mark.long),
)


@pytest.mark.parametrize("page", LISTED)
def test_its_listings_print_what_it_shows(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in re.findall(r"```\n\$ (slcache sweep [^\n]*)", text(page)):
        stdout(*shlex.split(command)[1:])
    exec("".join(re.findall(r"```python\n(.*?)```", text(page), re.DOTALL)), {})
    shown = "".join(re.findall(r"```\n\n```\n(.*?)```", text(page), re.DOTALL))
    assert capsys.readouterr().out == shown != ""
    for file in re.findall(r"```toml\n(.*?)```", text(page), re.DOTALL):
        asked, told = (
            read_study(Path("out/sizes/study.toml")),
            study_of_document(tomllib.loads(file)),
        )
        assert asked.combinations() == told.combinations()
        assert (asked.traces, asked.schemes) == (told.traces, told.schemes)
        assert asked.fixed == told.fixed


#: Recordings that a reader must have; the one that is shipped stands in for them here.
NOT_SHIPPED = ("$OLTP", "$PIECE")
SHIPPED = "examples/linkbench-40s.blkparse.zst"
WINNING = [
    shlex.split(line)
    for block in re.findall(r"```\n(slcache .*?)```", text("when-each-wins.md"), re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
]


assert len(WINNING) > 10


def replaced(words: list[str], option: str, values: dict[str, str]) -> list[str]:
    """The command with these keys of a repeated option, said once each."""
    kept = list(words)
    for key, value in values.items():
        for at in reversed(range(len(kept) - 1)):
            if kept[at] == option and kept[at + 1].partition("=")[0] == key:
                del kept[at : at + 2]
        kept += [option, f"{key}={value}"]
    return kept


@pytest.mark.few(3)
@pytest.mark.parametrize("command", WINNING, ids=lambda words: words[-1])
def test_the_commands_of_when_each_wins_run(command: list[str], tmp_path: Path) -> None:
    """Run each on a shortened load under one scheme; every option and key of it stays."""
    words = command[1:]
    words[words.index("--out") + 1] = str(tmp_path / "out")
    if words[0] == "cliff":
        words[words.index("--amount") + 1] = "8MiB"
    elif words[1] in NOT_SHIPPED:
        words[1] = SHIPPED
    elif not Path(words[1]).suffix:
        words = replaced(words, "--workload", {"requests": "20000"})
        words = replaced(words, "--set", {"precondition.overwrite": "0", "precondition.fill": "0"})
    on_disk = "nvc-hdd" in words
    words[words.index("--schemes") + 1] = "nvc-slc-only" if on_disk else "turbo-write"
    stdout(*words)
    assert any((tmp_path / "out").iterdir())


def test_the_page_of_traces_has_every_format_and_no_other() -> None:
    page = (DOCS / "traces.md").read_text(encoding="utf-8")
    known = {entry["name"] for entry in catalogue.formats()}
    assert {name for name in known if f"`{name}`" not in page} == set()
    table = page.partition("## Formats")[2].partition("\nSources")[0]
    rows = re.findall(r"^\| `(\w+)`", table, re.MULTILINE)
    assert len(rows) > 10
    assert set(rows) <= known
    # Parquet is slcache's own.
    assert f"block traces in {len(known) - 1} formats" in page


def test_pages_stay_within_what_a_reader_reads() -> None:
    """The front page at most 1,200 words; the site 40 pages and 60,000 words."""
    own = [page for page in TEXTS if page.is_relative_to(DOCS) and page not in pages()]
    site = [len(TEXTS[page].split()) for page in own]
    assert len(TEXTS[REPOSITORY / "README.md"].split()) <= 1200
    assert len(site) <= 40
    assert sum(site) <= 60_000
