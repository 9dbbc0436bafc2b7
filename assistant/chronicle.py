"""From the folded log to the record: what the camera and people said, as the rules score it."""

from assistant import fold
from assistant.observed import latest_match
from assistant.record import ScoredGame


def scored_game(game: fold.Game) -> ScoredGame:
    """The match being played, scored and audited under the rules its log names.

    A game whose log is still empty is an empty match under `selminha`; whoever plays on after a
    match is won begins the next one.

    Raises:
        UserError: the log names rules this program does not know.
    """
    return latest_match(game)
