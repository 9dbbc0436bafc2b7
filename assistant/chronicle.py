"""From the folded log to the record: what the camera and people said, as the rules score it."""

from assistant import fold
from assistant.events import AccusationMade
from assistant.observed import observe, ruleset
from assistant.record import DealEntry, Game, ScoredGame, score_game
from assistant.sueca import Accusation, Seat


def scored_game(game: fold.Game) -> ScoredGame:
    """The game as it stands, scored and audited under the rules its log names.

    A game whose log is still empty is an empty match under `selminha`.

    Raises:
        UserError: the log names rules this program does not know.
    """
    name = game.deals[0].rules if game.deals else fold.FIRST_RULES
    rules = ruleset(name, game.counting)
    entries = tuple(
        DealEntry(
            observe(deal, rules).state.deal,
            tuple(_accusation(said) for said in deal.accusations),
            final=deal.ended is not None,
        )
        for deal in game.deals
    )
    return score_game(Game(rules, {Seat[seat]: text for seat, text in game.names}, entries))


def _accusation(said: AccusationMade) -> Accusation:
    return Accusation(Seat[said.accuser], Seat[said.accused], said.trick)
