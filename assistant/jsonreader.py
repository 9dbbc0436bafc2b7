"""Reading the JSON game record, as far as it is valid, with line and column of what is not."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from assistant.record import Claimed, DealEntry, Game
from assistant.sueca import (
    Accusation,
    Card,
    Deal,
    Play,
    RulesError,
    RuleSet,
    Seat,
    Shown,
    Suit,
    parse_seat,
    preset,
    rules_from_mapping,
)

MAX_PLAYS = 1_000
"""Plays of one deal that are read at most; no deal has more than 80."""

MAX_DEPTH = 100
"""Tables and lists inside each other; a record has six. Keeps clear of Python's own limit."""

MAX_DIGITS = 300
"""Digits of a whole number; longer ones fit no float, and no count or time needs a tenth of it."""

_HALF = re.compile(r"[\ud800-\udfff]")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that could not be read. `line` and `column` from 1; `path` inside the JSON."""

    message: str
    line: int
    column: int
    path: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}"
        return f"{where}: {self.path}: {self.message}" if self.path else f"{where}: {self.message}"


class _Bad(Exception):
    """A value that is not what it should be: where, and what was expected and got."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def read_json(text: str, rules: RuleSet | None) -> tuple[Game, tuple[Fault, ...]]:
    """Read a record; `rules` in place of its own. A broken deal ends where it breaks.

    Keys that the record does not know are passed over. Never raises on any text.
    """
    try:
        data = json.loads(text, parse_constant=_no_constant, parse_int=_whole_number)
        if _depth(data) > MAX_DEPTH:
            raise RecursionError
    except json.JSONDecodeError as error:
        fault = Fault(
            f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}", error.lineno, error.colno
        )
        return Game(rules or preset("selminha")), (fault,)
    except (ValueError, RecursionError) as error:
        deep = isinstance(error, RecursionError)
        fault = Fault(f"not a record: {'nested too deeply' if deep else error}", 1, 1)
        return Game(rules or preset("selminha")), (fault,)
    faults: list[Fault] = []
    half = _half_character(data)

    def note(bad: _Bad) -> None:
        line, column = locate(text, bad.path)
        faults.append(Fault(bad.message, line, column, _shown_path(bad.path)))

    try:
        if half is not None:
            raise half
        game = _read_game(data, rules, note)
    except _Bad as bad:
        note(bad)
        game = Game(rules or preset("selminha"))
    return game, tuple(faults)


def _half_character(data: object) -> _Bad | None:
    """The first text, key or value, that JSON's escapes leave with half a character.

    Such a text (`"\\ud800"`) can be neither shown nor written, so nothing may carry it further.
    """
    waiting: list[tuple[Path, object]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str) and _HALF.search(value):
            return _Bad(path, f"expected a text, got half a character in {_ascii(value)}")
        if isinstance(value, dict):
            for key in value:
                if _HALF.search(key):
                    return _Bad(path, f"expected a key, got half a character in {_ascii(key)}")
            waiting += reversed([((*path, key), item) for key, item in value.items()])
        elif isinstance(value, list):
            waiting += reversed([((*path, number), item) for number, item in enumerate(value)])
    return None


def _ascii(value: str) -> str:
    return _cut(json.dumps(value))


def _depth(data: object) -> int:
    """How many tables and lists stand inside each other, counted no further than `MAX_DEPTH` + 1."""
    depth, level = 0, [data]
    while depth <= MAX_DEPTH:
        inside = [value for value in level if isinstance(value, dict | list)]
        if not inside:
            break
        depth += 1
        level = [
            item
            for value in inside
            for item in (value.values() if isinstance(value, dict) else value)
        ]
    return depth


def _whole_number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits, too long to mean anything")
    return int(digits)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _shown_path(path: Path) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _read_game(data: object, rules: RuleSet | None, note: Callable[[_Bad], None]) -> Game:
    table = _table(data, ())
    if rules is None:
        if "rules" not in table:
            raise _Bad((), "expected 'rules', got a record without")
        rules = _rules(table["rules"])
    players: dict[Seat, str] = {}
    for name, player in _table(table.get("players") or {}, ("players",)).items():
        path: Path = ("players", name)
        players[_seat(name, path, rules)] = _text(player, path)
    entries: list[DealEntry] = []
    if "deals" not in table:
        raise _Bad((), "expected 'deals', got a table without")
    for number, item in enumerate(_list(table["deals"], ("deals",))):
        path = ("deals", number)
        entries.append(_read_deal(item, path, rules, note))
    if entries:
        earlier = [replace(entry, final=True) for entry in entries[:-1]]
        entries = [*earlier, entries[-1]]
    claimed = table.get("match")
    scores = None
    if isinstance(claimed, dict):
        scores = {key: n for key, n in claimed.items() if type(n) is int and key != "pending"}
    return Game(rules, players, tuple(entries), scores or None)


def _rules(value: object) -> RuleSet:
    try:
        if isinstance(value, str):
            return preset(value)
        return rules_from_mapping(_table(value, ("rules",)))
    except RulesError as error:
        raise _Bad(("rules",), str(error).removeprefix("rules: ")) from None


def _read_deal(item: object, path: Path, rules: RuleSet, note: Callable[[_Bad], None]) -> DealEntry:
    """One deal; a play that cannot be read ends it, and what else is broken is left out."""
    entry = DealEntry(Deal(rules, None, None))
    try:
        table = _table(item, path)
    except _Bad as bad:
        note(bad)
        return entry
    broken = False

    def part(read: Callable[[DealEntry], DealEntry]) -> None:
        nonlocal entry, broken
        try:
            entry = read(entry)
        except _Bad as bad:
            broken = True
            note(bad)

    part(lambda e: replace(e, deal=_read_header(e.deal, table, path)))
    plays: list[Play] = []
    part(lambda e: _fill_plays(e, table, path, plays))
    entry = replace(entry, deal=replace(entry.deal, plays=tuple(plays)))
    part(lambda e: replace(e, deal=_read_extras(e.deal, table, path)))
    part(lambda e: _read_words(e, table, path))
    part(lambda e: replace(e, claimed=_read_claims(table, path, rules)))
    return replace(entry, final=entry.claimed.complete is not False and not broken)


def _read_header(deal: Deal, table: dict[str, object], path: Path) -> Deal:
    if table.get("dealer") is not None:
        place = (*path, "dealer")
        deal = replace(deal, dealer=_seat(table["dealer"], place, deal.rules))
    if table.get("trump") is not None:
        word = _text(table["trump"], (*path, "trump"))
        letters = {suit.value: suit for suit in Suit}
        deal = replace(deal, trump=letters.get(word.strip().upper()) or Card.observed(word))
    return deal


def _fill_plays(
    entry: DealEntry, table: dict[str, object], path: Path, plays: list[Play]
) -> DealEntry:
    rules = entry.deal.rules
    if "plays" not in table and entry.deal.dealer is None and entry.deal.trump is None:
        raise _Bad(path, "expected 'plays', got a deal without")
    items = _list(table.get("plays", []), (*path, "plays"))
    if len(items) > MAX_PLAYS:
        raise _Bad((*path, "plays"), f"expected at most {MAX_PLAYS} plays, got {len(items)}")
    for number, item in enumerate(items):
        plays.append(_play(item, (*path, "plays", number), rules))
    return entry


def _play(item: object, path: Path, rules: RuleSet) -> Play:
    table = _table(item, path)
    for key in ("seat", "card"):
        if key not in table:
            raise _Bad(path, f"expected '{key}', got a play without")
    t = table.get("t")
    alternatives = []
    for number, pair in enumerate(_list(table.get("alternatives") or [], (*path, "alternatives"))):
        place = (*path, "alternatives", number)
        two = _list(pair, place)
        if len(two) != 2:
            raise _Bad(place, "expected a card and its probability")
        alternatives.append((Card.observed(_text(two[0], place)), _chance(two[1], place)))
    return Play(
        _seat(table["seat"], (*path, "seat"), rules),
        Card.observed(_text(table["card"], (*path, "card"))),
        None if t is None else _number(t, (*path, "t")),
        _chance(table.get("p", 1.0), (*path, "p")),
        tuple(alternatives),
    )


def _read_extras(deal: Deal, table: dict[str, object], path: Path) -> Deal:
    shown = []
    for number, item in enumerate(_list(table.get("shown") or [], (*path, "shown"))):
        place = (*path, "shown", number)
        one = _table(item, place)
        seat = _seat(one.get("seat"), place, deal.rules)
        shown.append(Shown(seat, Card.observed(_text(one.get("card"), place)), _after(one, place)))
    sizes = _list(table.get("trick_sizes") or [], (*path, "trick_sizes"))
    if not all(type(size) is int and 0 < size <= MAX_PLAYS for size in sizes):
        raise _Bad((*path, "trick_sizes"), "expected numbers of cards, each at least 1")
    return replace(deal, shown=tuple(shown), trick_sizes=tuple(int(str(s)) for s in sizes))


def _after(table: dict[str, object], path: Path) -> int:
    after = table.get("after", 0)
    if type(after) is not int or after < 0:
        raise _Bad(path, f"after: expected a number of plays, got {_brief(after)}")
    return after


def _read_words(entry: DealEntry, table: dict[str, object], path: Path) -> DealEntry:
    """What people said: a weak hand, accusations."""
    rules = entry.deal.rules
    weak = table.get("weak_hand")
    made = []
    for number, item in enumerate(_list(table.get("accusations") or [], (*path, "accusations"))):
        place = (*path, "accusations", number)
        one = _table(item, place)
        trick = one.get("trick")
        if trick is not None and type(trick) is not int:
            raise _Bad(place, f"trick: expected a number, got {_brief(trick)}")
        made.append(
            Accusation(
                _seat(one.get("accuser"), place, rules),
                _seat(one.get("accused"), place, rules),
                trick if type(trick) is int else None,
                one.get("counted") is True,
            )
        )
    asked = None if weak is None else _seat(weak, (*path, "weak_hand"), rules)
    return replace(entry, accusations=tuple(made), weak_hand=asked)


def _read_claims(table: dict[str, object], path: Path, rules: RuleSet) -> Claimed:
    """What the file says beyond its plays, where it says it."""
    complete = table.get("complete")
    winners = None
    if table.get("tricks") is not None:
        found = []
        for number, item in enumerate(_list(table["tricks"], (*path, "tricks"))):
            place = (*path, "tricks", number)
            found.append(_seat(_table(item, place).get("winner"), place, rules))
        winners = tuple(found)
    return Claimed(
        _totals(table.get("points"), (*path, "points")),
        _totals(table.get("game_points"), (*path, "game_points")),
        complete if isinstance(complete, bool) else None,
        winners,
    )


def _totals(value: object, path: Path) -> dict[str, int] | None:
    if value is None:
        return None
    totals = {}
    for key, number in _table(value, path).items():
        if type(number) is not int:
            raise _Bad((*path, key), f"expected a whole number, got {_brief(number)}")
        totals[key] = number
    return totals


def _table(value: object, path: Path) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _Bad(path, f"expected a table {{…}}, got {_brief(value)}")
    return value


def _list(value: object, path: Path) -> list[object]:
    if not isinstance(value, list):
        raise _Bad(path, f"expected a list […], got {_brief(value)}")
    return value


def _text(value: object, path: Path) -> str:
    if not isinstance(value, str):
        raise _Bad(path, f"expected a text, got {_brief(value)}")
    return value


def _number(value: object, path: Path) -> float:
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if isinstance(value, bool) or not math.isfinite(number):
        raise _Bad(path, f"expected a number, got {_brief(value)}")
    return number


def _chance(value: object, path: Path) -> float:
    number = _number(value, path)
    if not 0 <= number <= 1:
        raise _Bad(path, f"expected a probability 0 to 1, got {_brief(value)}")
    return number


def _seat(value: object, path: Path, rules: RuleSet) -> Seat:
    try:
        seat = parse_seat(value) if isinstance(value, str) else None
    except ValueError:
        seat = None
    if seat not in rules.seats or seat is None:
        names = " ".join(seat.value for seat in rules.seats)
        raise _Bad(path, f"expected a seat of {names}, got {_brief(value)}")
    return seat


def _brief(value: object) -> str:
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= 24 else text[:23] + "…"


# --- Where in the text a value stands ------------------------------------------------------------


def locate(text: str, path: Path) -> tuple[int, int]:
    """Line and column (from 1) of the value at `path` in a JSON text known to be valid.

    The deepest step that exists where the path leads nowhere.
    """
    position = _skip(text, 0)
    for step in path:
        found = _enter(text, position, step)
        if found is None:
            break
        position = found
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _enter(text: str, position: int, step: str | int) -> int | None:
    """Where the value called `step` begins inside the table or list at `position`."""
    decode = json.JSONDecoder().raw_decode
    opening = text[position]
    if opening not in "{[" or (opening == "{") != isinstance(step, str):
        return None
    position = _skip(text, position + 1)
    count = 0
    found = None
    while text[position] not in "}]":
        key: str | int = count
        if opening == "{":
            key, position = decode(text, position)
            position = _skip(text, _skip(text, position) + 1)
        if key == step:
            found = position  # the last of equal keys is the one JSON keeps
        _, position = decode(text, position)
        position = _skip(text, position)
        if text[position] == ",":
            position = _skip(text, position + 1)
        count += 1
    return found
