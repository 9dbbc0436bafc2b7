"""A scored game as readable text: tables of vazas, totals and flags, in the chosen language."""

from collections.abc import Callable, Iterable, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assistant.flagtext import OUTCOMES, SEAT_NAMES, STATUSES, TITLES, describe
from assistant.i18n import N_, translate
from assistant.record import ScoredDeal, ScoredGame
from assistant.sueca import Card, Flag, Seat, Team, points_shown, score_deal, trick_of

Say = Callable[[str], str]

_PRINTABLE_ONLY = "�"


def _say(language: str) -> Say:
    return lambda message: translate(message, language)


def _clean(text: str) -> str:
    """A name from a file without control characters: it must not drive the terminal."""
    return "".join(c if c.isprintable() else _PRINTABLE_ONLY for c in text)


def seat_name(seat: Seat, players: Mapping[Seat, str], language: str) -> str:
    """A player's name, else the seat's."""
    name = _clean(players.get(seat, ""))
    return name or (translate(SEAT_NAMES[seat], language) if seat in SEAT_NAMES else seat.value)


def team_name(team: Team, scored: ScoredGame, language: str) -> str:
    """A pair by its players' names, else by its letters."""
    seats = [seat for seat in scored.game.rules.seats if seat.team is team]
    if not any(seat in scored.game.players for seat in seats):
        return team.value
    return " + ".join(seat_name(seat, scored.game.players, language) for seat in seats)


def game_view(scored: ScoredGame, language: str) -> RenderableType:
    """The whole game: every deal with its vazas, points and flags, then the match."""
    parts: list[RenderableType] = []
    for number, deal in enumerate(scored.deals, start=1):
        parts += _deal_view(number, deal, scored, language)
    parts.append(_match_line(scored, language))
    return Group(*parts)


def _deal_view(
    number: int, one: ScoredDeal, scored: ScoredGame, language: str
) -> list[RenderableType]:
    say, players = _say(language), scored.game.players
    deal = one.state.deal
    trump = deal.trump.pretty if isinstance(deal.trump, Card) else None
    symbol = deal.trump_suit.symbol if deal.trump_suit else "?"
    dealer = seat_name(deal.dealer, players, language) if deal.dealer else "?"
    title = say(N_("Deal {number}: trump {trump}, dealer {dealer}"))
    table = Table(
        title=Text(title.format(number=number, trump=trump or symbol, dealer=dealer)),
        title_justify="left",
    )
    for heading in (N_("trick"), N_("led by"), N_("cards"), N_("won by"), N_("points")):
        table.add_column(say(heading).capitalize())
    for trick in one.state.tricks:
        table.add_row(
            str(trick.number),
            Text(seat_name(trick.leader, players, language)),
            Text(" ".join(card.pretty for card in trick.cards)),
            Text(seat_name(trick.winner, players, language)),
            str(trick.points) if points_shown(one.state) else "",
        )
    if one.state.table:
        on_table = " ".join(play.card.pretty for play in one.state.table)
        leader = seat_name(one.state.table[0].seat, players, language)
        table.add_row(str(len(one.state.tricks) + 1), Text(leader), Text(on_table), "", "")
    parts: list[RenderableType] = [table, _deal_line(one, scored, language)]
    parts += flag_lines(one.flags, players, language)
    return [*parts, Text()]


def _deal_line(one: ScoredDeal, scored: ScoredGame, language: str) -> Text:
    say = _say(language)
    pairs = zip(scored.game.rules.teams, one.state.points, strict=True)
    points = ", ".join(f"{team_name(team, scored, language)} {n}" for team, n in pairs)
    if not points_shown(one.state):
        points = say(N_("counted at the end"))
    line = f"{say(N_('Card points'))}: {points}"
    holder = one.state.trump_holder
    if one.state.deal.dealer is None and holder is not None:
        name = seat_name(holder, scored.game.players, language)
        line += f". {say(N_('The trump card was held by {who}')).format(who=name)}"
    if one.entry.weak_hand is not None:
        return Text(f"{line}. {say(N_('Weak hand: dealt again'))}")
    score = score_deal(one.state)
    if score is None:
        return Text(f"{line}. {say(N_('The deal is not complete'))}")
    line += f". {say(OUTCOMES[score.outcome]).capitalize()}"
    if any(one.game_points):
        pairs = zip(scored.game.rules.teams, one.game_points, strict=True)
        gained = ", ".join(f"{team_name(team, scored, language)} +{n}" for team, n in pairs if n)
        line += f": {gained}"
    return Text(line)


def flag_lines(flags: Iterable[Flag], players: Mapping[Seat, str], language: str) -> list[Text]:
    """One line for each flag, proofs in red."""
    names = {seat: _clean(name) for seat, name in players.items()}
    lines = []
    for flag in flags:
        status = translate(STATUSES[flag.status], language)
        text = f"! {describe(flag, language, names)} [{status}]"
        lines.append(Text(text, style="bold red" if flag.proves_revoke else "yellow"))
    return lines


def _match_line(scored: ScoredGame, language: str) -> Text:
    say, match = _say(language), scored.match
    pairs = zip(match.rules.teams, match.score, strict=True)
    line = f"{say(N_('Match'))} ({_clean(match.rules.name)}): " + ", ".join(
        f"{team_name(team, scored, language)} {n}" for team, n in pairs
    )
    if match.pending:
        line += f". {say(N_('Pending'))}: {match.pending}"
    if match.winner:
        winner = team_name(match.winner, scored, language)
        line += f". {say(N_('Won by {winner}')).format(winner=winner)}"
        if match.title:
            line += f" ({say(TITLES[match.title])})"
    return Text(line, style="bold")


def review_view(scored: ScoredGame, language: str, whole: bool = True) -> RenderableType:
    """Every flag of every deal, with the plays it rests on, and which deals are not complete.

    `whole`: the record was read to its end; one that was not is never said to have nothing wrong.
    """
    say, players = _say(language), scored.game.players
    parts: list[RenderableType] = []
    for number, one in enumerate(scored.deals, start=1):
        open_ended = one.entry.weak_hand is None and score_deal(one.state) is None
        if one.flags or open_ended:
            parts.append(Text(say(N_("Deal {number}")).format(number=number), style="bold"))
        if open_ended:
            parts.append(Text(f"{say(N_('The deal is not complete'))}."))
        for flag, line in zip(one.flags, flag_lines(one.flags, players, language), strict=True):
            parts.append(line)
            for play_number in flag.plays:
                parts.append(_evidence(one, play_number, players, language))
    parts += flag_lines(scored.flags, players, language)
    if not parts and whole:
        parts.append(Text(say(N_("Nothing is wrong with this record."))))
    elif not scored.revoke_proved:
        parts.append(Text(say(N_("No revoke is proved."))))
    return Group(*parts)


def _evidence(one: ScoredDeal, number: int, players: Mapping[Seat, str], language: str) -> Text:
    """The play behind a flag: which vaza, who, what, how sure and when."""
    play = one.state.deal.plays[number]
    text = translate(N_("trick {trick}: {who} {card}, p {p}"), language).format(
        trick=trick_of(one.state, number),
        who=seat_name(play.seat, players, language),
        card=play.card.pretty,
        p=f"{play.p:.3f}",
    )
    return Text("    " + text + ("" if play.t is None else f", {play.t:.1f} s"))
