"""Inline SVG without what no page needs: smaller, and the same picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

_TAG = re.compile(r"<[^>]+>")
#: Marks of one look, each of which Matplotlib gives that look again.
_MARKS_ALIKE = re.compile(r'(?:\s*<use [^>]*? style="([^"]*)"/>)(?:\s*<use [^>]*? style="\1"/>)+')
_ID = re.compile(r' id="([^"]*)"')
_LOOK = re.compile(r' style="([^"]*)"')
_REFERENCE = re.compile(r'(?<=url\(#)[^)]+|(?<=href="#)[^"]+')
#: A look that so many elements have is said once.
_OFTEN = 4
_BETWEEN_TAGS = re.compile(r"(?<=>)\s+(?=<)")
#: Grounds, which are drawn without ink.
_INKLESS = re.compile(r'<path d="[^"]*" style="fill: none"/>')
_NO_TURN = re.compile(r' transform="rotate\(-?0 [^)]*\)"')
_PATH = re.compile(r' d="([^"]*)"')
_GROUP = re.compile(r"<g(?: [^>]*)?>|<g/>|</g>")
_COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")


def smaller(text: str, name: str) -> str:
    """Return a picture with looks said once, paths in steps and ids that somebody refers to.

    Replaced is what stands in tags alone: labels stay as they are.
    """
    text = _MARKS_ALIKE.sub(_look_once, text)
    text = _BETWEEN_TAGS.sub("", _INKLESS.sub("", text))
    tags = _TAG.findall(text)
    known = dict.fromkeys(each for tag in tags for each in _REFERENCE.findall(tag))
    ids = {each: f"{name}-{number}" for number, each in enumerate(known)}
    looks = Counter(look for tag in tags for look in _LOOK.findall(tag))
    often = [look for look, count in looks.items() if count >= _OFTEN]
    classes = {look: f"{name}-{number}" for number, look in enumerate(often)}

    def renamed(part: str) -> str:
        return _REFERENCE.sub(lambda to: ids[to[0]], part)

    def less(found: re.Match[str]) -> str:
        tag = found[0]
        if tag.startswith("</"):
            return tag
        if ' id="' in tag:
            tag = _ID.sub(lambda own: f' id="{ids[own[1]]}"' if own[1] in ids else "", tag)
        if ' style="' in tag:
            tag = _LOOK.sub(lambda look: _class(look, classes), tag)
        if "#" in tag:
            tag = renamed(tag)
        return _PATH.sub(_in_steps, tag) if ' d="' in tag else _NO_TURN.sub("", tag)

    rules = "".join(f".{which}{{{look}}}" for look, which in classes.items())
    text = "".join(_unwrapped(_TAG.sub(less, text)))
    return text.replace(">", f"><style>{renamed(rules)}</style>", 1)


def _class(look: re.Match[str], classes: Mapping[str, str]) -> str:
    return f' class="{classes[look[1]]}"' if look[1] in classes else look[0]


def _look_once(marks: re.Match[str]) -> str:
    look = f' style="{marks[1]}"'
    return f"<g{look}>{marks[0].replace(look, '')}</g>"


def _unwrapped(text: str) -> Iterator[str]:
    """Yield a text's parts without groups that say nothing of what they hold."""
    kept: list[bool] = []
    end = 0
    for tag in _GROUP.finditer(text):
        yield text[end : tag.start()]
        end = tag.end()
        if tag[0].endswith("/>"):
            continue
        if tag[0] == "</g>":
            stays = kept.pop()
        else:
            stays = tag[0] != "<g>"
            kept.append(stays)
        if stays:
            yield tag[0]
    yield text[end:]


def _in_steps(path: re.Match[str]) -> str:
    """Return a path of straight lines as steps from point to point; others as they are."""
    commands = _COMMAND.findall(path[1])
    if not all(letter in "MLz" for letter, _ in commands):
        return f' d="{" ".join(path[1].split())}"'
    places = [tuple(round(100 * float(at)) for at in said.split()) for _, said in commands]
    parts: list[str] = []
    before = ""
    for number, (letter, _) in enumerate(commands):
        step = "z" if letter == "z" else f"M{_pair(*places[number])}"
        if letter == "L":
            (x, y), (to_x, to_y) = places[number - 1], places[number]
            # A line of no length is a dot where it is all there is.
            if (x, y) == (to_x, to_y) and before != "M":
                continue
            step = _step(to_x - x, to_y - y)
        # A letter said once holds for the steps that follow it.
        again = step[0] == before in ("h", "v", "l")
        parts.append(step if not again else step[1:] if step[1] == "-" else f" {step[1:]}")
        before = step[0]
    return f' d="{"".join(parts)}"'


def _step(x: int, y: int) -> str:
    if y == 0:
        return f"h{_number(x)}"
    return f"v{_number(y)}" if x == 0 else f"l{_pair(x, y)}"


def _pair(x: int, y: int) -> str:
    second = _number(y)
    return f"{_number(x)}{second}" if second.startswith("-") else f"{_number(x)} {second}"


def _number(hundredths: int) -> str:
    """Return hundredths as the shortest number that a path may have."""
    sign = "-" if hundredths < 0 else ""
    whole, part = divmod(abs(hundredths), 100)
    shown = f"{part:02}".rstrip("0")
    return f"{sign}{whole or ('' if shown else 0)}{'.' + shown if shown else ''}"
