"""Games as text: the `.sueca` form, the one-line form of a deal, and reading any record.

Readers are tolerant: they go as far as the text is valid and hand back what they read together
with what failed and where. Cards that are no cards of the deck, repeated ones, odd numbers of
cards are not failures: they are read as seen and flagged by the audit.
"""

import re
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, unquote

from assistant.jsonreader import Fault, read_json
from assistant.record import DealEntry, Game
from assistant.sueca import (
    Card,
    Deal,
    Folder,
    Play,
    RulesError,
    RuleSet,
    Seat,
    Shown,
    Suit,
    fold,
    parse_seat,
    preset,
)
from vision.errors import UserError

MAX_BYTES = 10_000_000
"""Larger files are refused: a whole evening's record is a few hundred kilobytes."""

_LONGEST_CARD = 3  # `10H`; a longer word is no card, however worn

_TRUMP = re.compile(r"(1[0-3]?|[2-9AKQJT])?[SHDC]")
"""What a `.sueca` text begins with: a card of any deck, or a bare suit. Other text is no record."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader got out of a text: the game as far as it was valid, and what failed."""

    game: Game
    faults: tuple[Fault, ...] = ()


def read_game(path: Path, rules: RuleSet | None = None) -> Reading:
    """Read a record file, JSON or `.sueca`, told apart by its content.

    `rules` take the place of the file's; without them the `.sueca` form, which names none, is
    read as `selminha`.
    Raises `UserError` where the file cannot be read at all.
    """
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise UserError(f"{path}: a folder without a kept game; give a game record")
        if not stat.S_ISREG(found.st_mode):  # a pipe or device may never end, or never begin
            raise UserError(f"{path}: not a file (a pipe or device); give a game record")
        size = found.st_size
        if size > MAX_BYTES:
            raise UserError(
                f"{path}: {size / 1e6:.0f} MB, a record has at most {MAX_BYTES / 1e6:.0f} MB; "
                "give a game record"
            )
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}; give a game record") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: not text (byte {error.start}); give a record in JSON or .sueca text"
        ) from None
    if "\0" in text:
        raise UserError(f"{path}: a binary file; give a record in JSON or .sueca text")
    if not text.strip():
        raise UserError(f"{path}: the file is empty; give a game record")
    return read_text(text, rules)


def read_text(text: str, rules: RuleSet | None = None) -> Reading:
    """Read a record from its text, JSON or `.sueca`; `rules` as in `read_game`."""
    if text.lstrip()[:1] in ("{", "["):
        game, faults = read_json(text, rules)
        return Reading(game, faults)
    return read_sueca(text, rules or preset("selminha"))


# --- .sueca: the trump card, then one vaza a line ----------------------------------------------


def read_sueca(text: str, rules: RuleSet, first: Seat | None = None) -> Reading:
    """Read the plain text: the trump card on the first line, then one vaza a line as played.

    The form names neither dealer nor seats: whoever leads first is taken to sit at `first` (S),
    the others follow in the direction of play. Blank lines and `#` comments are passed over.
    """
    seat = first or rules.seats[0]
    deal: Deal | None = None
    folder: Folder | None = None
    plays: list[Play] = []
    sizes: list[int] = []
    for line_number, line in enumerate(text.splitlines(), start=1):
        words = [(m.start() + 1, m.group()) for m in re.finditer(r"[^\s,;]+", line.split("#")[0])]
        for column, word in words:
            if len(word) > _LONGEST_CARD:
                fault = Fault(f"expected a card such as 7H, got {word[:20]!r}", line_number, column)
                return _sueca_reading(rules, deal, plays, sizes, fault)
        if not words:
            continue
        if deal is None or folder is None:
            column, word = words[0]
            if not _TRUMP.fullmatch(word.upper()):
                fault = Fault(
                    f"expected the trump card such as 7H, got {word!r}; "
                    "a record is JSON or .sueca text",
                    line_number,
                    column,
                )
                return _sueca_reading(rules, None, [], [], fault)
            if len(words) > 1:
                fault = Fault(
                    "expected the trump card alone on the first line", line_number, words[1][0]
                )
                return _sueca_reading(rules, None, [], [], fault)
            deal = Deal(rules, None, _trump(words[0][1]))
            folder = Folder(replace(deal, trick_sizes=()))
            continue
        if len(plays) + len(words) > 2 * rules.deck_size:
            fault = Fault("expected one deal, got more cards than two", line_number, 1)
            return _sueca_reading(rules, deal, plays, sizes, fault)
        sizes.append(len(words))
        folder = Folder(replace(deal, plays=tuple(plays), trick_sizes=tuple(sizes)))
        for _, word in words:
            play = Play(folder.turn or seat, Card.observed(word))
            seat = rules.next_seat(play.seat)
            plays.append(play)
            folder.push(play)
    missing = None if deal else Fault("expected the trump card, got nothing", 1, 1)
    return _sueca_reading(rules, deal, plays, sizes, missing)


def _sueca_reading(
    rules: RuleSet, deal: Deal | None, plays: list[Play], sizes: list[int], fault: Fault | None
) -> Reading:
    """Sizes are kept only where a trick was not one card a seat (the last may be unfinished)."""
    faults = (fault,) if fault else ()
    if deal is None:
        return Reading(Game(rules), faults)
    uneven = any(size != rules.players for size in sizes[:-1])
    if uneven or (sizes and sizes[-1] > rules.players):
        deal = replace(deal, trick_sizes=tuple(sizes))
    deal = replace(deal, plays=tuple(plays))
    return Reading(Game(rules, {}, (DealEntry(deal, final=fault is None),)), faults)


def _trump(word: str) -> Card | Suit:
    """A trump card, or the bare letter of a suit."""
    letters = {suit.value: suit for suit in Suit}
    return letters.get(word.upper()) or Card.observed(word)


def write_sueca(deal: Deal) -> str:
    """The plain text of a deal. Seats, dealer, times and probabilities have no place in it.

    Raises `ValueError` where the trump is unknown, since the text begins with it.
    """
    if deal.trump is None:
        raise ValueError("expected a deal with a trump card, got none")
    state = fold(deal)
    lines = [str(deal.trump)]
    lines += [" ".join(card.text for card in trick.cards) for trick in state.tricks]
    if state.table:
        lines.append(" ".join(play.card.text for play in state.table))
    return "\n".join(lines) + "\n"


# --- One line: a whole deal for a bug report ---------------------------------------------------


def write_line(deal: Deal) -> str:
    """A deal as one line that `read_line` turns back into the same deal.

    `RULES DEALER TRUMP TRICK…`, `-` for unknown. A trick is its plays parted by commas, the first
    with its seat, later ones only where they came out of turn: `S:AH,2D,W:5H,2H`. A play may carry
    `@time`, `~probability` and `?card=probability` for each alternative. `+S:7H` is a card
    shown, `+S:7H>12` after twelve plays. `|4,5` at the end: odd numbers of cards in the tricks.
    """
    words = [
        _escape(deal.rules.name),
        deal.dealer.value if deal.dealer else "-",
        "-" if deal.trump is None else _escape(str(deal.trump)),
    ]
    state = fold(deal)
    tricks = [trick.plays for trick in state.tricks] + ([state.table] if state.table else [])
    for plays in tricks:
        previous: Seat | None = None
        parts = []
        for play in plays:
            in_turn = previous is not None and play.seat is deal.rules.next_seat(previous)
            parts.append(("" if in_turn else f"{play.seat}:") + _play_text(play))
            previous = play.seat
        words.append(",".join(parts))
    for shown in deal.shown:
        after = f">{shown.after}" if shown.after else ""
        words.append(f"+{shown.seat}:{_escape(shown.card.text)}{after}")
    if deal.trick_sizes:
        words.append("|" + ",".join(map(str, deal.trick_sizes)))
    return " ".join(words)


def _escape(text: str) -> str:
    return quote(text, safe="") or "%"


def _play_text(play: Play) -> str:
    text = _escape(play.card.text)
    if play.t is not None:
        text += f"@{play.t!r}"
    if play.p != 1.0:
        text += f"~{play.p!r}"
    return text + "".join(f"?{_escape(card.text)}={p!r}" for card, p in play.alternatives)


class LineError(ValueError):
    """A one-line deal that cannot be read; the message says where, what was expected and got."""


_PLAY = re.compile(
    r"(?:(?P<seat>[A-Z0-9]):)?(?P<card>[^@~?]+)(?:@(?P<t>[^~?]+))?(?:~(?P<p>[^?]+))?(?P<alt>\?.*)?"
)


def read_line(line: str, rules: RuleSet | None = None) -> Deal:
    """Read a deal written by `write_line`; `rules` for one that is no preset.

    Raises `LineError`.
    """
    words = line.split()
    if len(words) < 3:
        raise LineError("expected RULES DEALER TRUMP and the tricks, got too few words")
    try:
        rules = rules or preset(unquote(words[0]))
        deal = Deal(
            rules,
            None if words[1] == "-" else parse_seat(words[1]),
            None if words[2] == "-" else _trump(unquote(words[2])),
        )
        plays: list[Play] = []
        for number, word in enumerate(words[3:], start=4):
            if word.startswith("+"):
                deal = replace(deal, shown=(*deal.shown, _read_shown(word)))
            elif word.startswith("|"):
                deal = replace(deal, trick_sizes=tuple(map(int, word[1:].split(","))))
            else:
                plays += _read_trick(word, number, rules)
    except RulesError as error:
        raise LineError(str(error)) from None
    except ValueError as error:
        raise error if isinstance(error, LineError) else LineError(str(error)) from None
    return replace(deal, plays=tuple(plays))


def _read_trick(word: str, number: int, rules: RuleSet) -> list[Play]:
    plays: list[Play] = []
    for part in word.split(","):
        found = _PLAY.fullmatch(part)
        if found is None or (found["seat"] is None and not plays):
            raise LineError(f"word {number}: expected plays such as S:AH,2D, got {part!r}")
        seat = parse_seat(found["seat"]) if found["seat"] else rules.next_seat(plays[-1].seat)
        alternatives = []
        for alternative in (found["alt"] or "").split("?")[1:]:
            card, _, p = alternative.partition("=")
            alternatives.append((Card.observed(unquote(card)), float(p)))
        plays.append(
            Play(
                seat,
                Card.observed(_unescape(found["card"])),
                float(found["t"]) if found["t"] else None,
                float(found["p"]) if found["p"] else 1.0,
                tuple(alternatives),
            )
        )
    return plays


def _unescape(text: str) -> str:
    return "" if text == "%" else unquote(text)


def _read_shown(word: str) -> Shown:
    seat, _, rest = word[1:].partition(":")
    card, _, after = rest.partition(">")
    return Shown(parse_seat(seat), Card.observed(unquote(card)), int(after or 0))
