"""Prints each vaza as it ends, what is revised afterwards, and what is wrong with the picture."""

from rich.console import Console
from rich.text import Text

from assistant import fold
from assistant.i18n import N_, translate
from assistant.noticetext import describe_notice
from assistant.observed import observe, ruleset
from assistant.recordview import seat_name
from assistant.sueca import Seat, Trick
from assistant.sueca.cards import Card


class TrickPrinter:
    """A listener of `LiveGame`: call it with the game after every change.

    `known` is what the game held before, which is not told again.
    """

    def __init__(self, out: Console, language: str, known: fold.Game | None = None) -> None:
        self._out, self._language = Console(quiet=True), language
        self._told: dict[tuple[int, int], str] = {}
        self._trumps: dict[int, str] = {}
        self._notices = 0
        if known is not None:
            self(known)
        self._out = out

    def __call__(self, game: fold.Game) -> None:
        self._tell_notices(game)
        for deal in game.deals:
            self._tell_trump(deal)
            observed = observe(deal, ruleset(deal.rules, game.counting))
            over = {n for n in observed.numbers if n in deal.gathered or deal.ended}
            names = {Seat[seat]: text for seat, text in game.names}
            for trick in observed.state.tricks:
                number = observed.trick_number(trick.number)
                newest = not observed.state.table and trick is observed.state.tricks[-1]
                if number in over or not newest:
                    self._tell(deal.number, trick, names)

    def _tell_notices(self, game: fold.Game) -> None:
        said = {Seat[seat]: text for seat, text in game.names}
        names = {seat: seat_name(seat, said, self._language) for seat in Seat}
        for notice in game.notices[self._notices :]:
            minutes, seconds = divmod(int(notice.t), 60)
            text = describe_notice(notice, self._language, names)
            self._out.print(Text(f"{minutes}:{seconds:02d} ! {text}", style="yellow"))
        self._notices = len(game.notices)

    def _tell_trump(self, deal: fold.Deal) -> None:
        if deal.trump is None or self._trumps.get(deal.number) == deal.trump.card:
            return
        self._trumps[deal.number] = deal.trump.card
        say = translate(N_("Deal {number}: trump {trump}"), self._language)
        self._out.print(Text(say.format(number=deal.number, trump=_pretty(deal.trump.card))))

    def _tell(self, deal: int, trick: Trick, names: dict[Seat, str]) -> None:
        line = self._line(trick, names)
        key = (deal, trick.number)
        before = self._told.get(key)
        if before == line:
            return
        self._told[key] = line
        mark = "" if before is None else " " + translate(N_("(put right)"), self._language)
        self._out.print(Text(line + mark))  # no markup: a player's name may hold brackets

    def _line(self, trick: Trick, names: dict[Seat, str]) -> str:
        plays = "  ".join(
            f"{seat_name(play.seat, names, self._language)} {play.card.pretty}"
            for play in trick.plays
        )
        say = translate(N_("Trick {number}: {plays} → {winner}, {points}"), self._language)
        return say.format(
            number=trick.number,
            plays=plays,
            winner=seat_name(trick.winner, names, self._language),
            points=trick.points,
        )


def _pretty(card: str) -> str:
    observed = Card.observed(card)
    return observed.pretty if isinstance(observed, Card) else card
