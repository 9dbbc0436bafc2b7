"""The bundled sample, followed from its pixels with the weights that come with the program.

The truth lies beside the video for this test alone; nothing of the pipeline opens it.
"""

import itertools
import json
import shutil
from pathlib import Path

import pytest

from assistant.chronicle import scored_game
from assistant.commands.watch import _mirror
from assistant.live import LiveGame
from assistant.log import GameLog
from assistant.observed import latest_match
from assistant.record import ScoredGame
from assistant.scribe.scribe import Scribe, ScribeOptions
from assistant.session import Session
from assistant.sueca import FlagKind, Status, preset
from datasets.simulate_samples import SAMPLE, make_second_sample
from vision.finder import Finder
from vision.pipeline import Follower
from vision.reader import Reader
from vision.sources import open_source

PLAYS_OF_SECOND_SAMPLE = 38
"""Of 40: what issue 2 asks of another seed, deck and table."""
A_VAZA = 12.0
"""Seconds in which one more vaza of the sample is played."""

Play = tuple[str, str, int]
"""Seat, card, vaza."""


def followed(video: Path, tmp_path: Path) -> ScoredGame:
    """The game as the program follows it, from a copy of the video under a name that says nothing."""
    blind = tmp_path / "video.mp4"
    shutil.copy(video, blind)
    finder, reader = Finder(), Reader()
    scribe = Scribe(ScribeOptions(preset("selminha")))
    with GameLog(tmp_path / "game.sqlite") as log, open_source(str(blind)) as frames:
        game = LiveGame(log)
        Session(Follower(finder.find_live, reader.read), scribe, game, None).run(
            frames, lambda frame, view: None
        )
        return scored_game(game.game)


def true_deal(video: Path) -> dict:  # type: ignore[type-arg]
    truth = json.loads(video.with_suffix(".truth.json").read_text())
    (deal,) = truth["deals"]
    return deal


def plays_of(scored: ScoredGame) -> list[Play]:
    (deal,) = scored.deals
    return [
        (play.seat.value, play.card.text, trick.number)
        for trick in deal.state.tricks
        for play in trick.plays
    ]


def true_plays(deal: dict) -> list[Play]:  # type: ignore[type-arg]
    return [(play["seat"], play["card"], play["trick"]) for play in deal["plays"]]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> ScoredGame:
    return followed(SAMPLE, tmp_path_factory.mktemp("sample"))


def test_every_play_of_the_sample_has_its_card_seat_and_vaza(sample: ScoredGame) -> None:
    assert plays_of(sample) == true_plays(true_deal(SAMPLE))


def test_trump_dealer_and_points_of_the_sample_are_right(sample: ScoredGame) -> None:
    truth = true_deal(SAMPLE)
    (deal,) = sample.deals
    assert deal.state.deal.trump is not None
    assert deal.state.deal.trump.text == truth["trump"]
    assert deal.state.deal.dealer is not None
    assert deal.state.deal.dealer.value == truth["dealer"]
    assert {t.value: n for t, n in deal.state.team_points.items()} == truth["points"]
    assert deal.state.complete


def test_the_renuncia_of_the_sample_is_proved_with_its_seat_and_vazas_and_no_other(
    sample: ScoredGame,
) -> None:
    (deal,) = sample.deals
    proved = [
        {"seat": flag.seats[0].value, "trick": flag.trick, "proved_in": flag.proved_in}
        for flag in deal.flags
        if flag.kind is FlagKind.REVOKE and flag.status is Status.PROVED
    ]
    assert proved == true_deal(SAMPLE)["revokes"]


def test_the_sample_in_a_mirror_is_told_and_leaves_nothing_written(tmp_path: Path) -> None:
    finder, reader = Finder(), Reader()
    scribe = Scribe(ScribeOptions(preset("selminha")))
    with GameLog(tmp_path / "game.sqlite") as log, open_source(str(SAMPLE)) as frames:
        game = LiveGame(log)

        def told() -> list[float]:
            wrong = ("wrong-way-round", "mirrored")
            return [notice.t for notice in game.game.notices if notice.kind in wrong]

        seen = itertools.takewhile(
            lambda item: not told() or item.t < told()[0] + A_VAZA, _mirror(frames)
        )
        session = Session(Follower(finder.find_live, reader.read), scribe, game, None)
        session.run(seen, lambda frame, view: None)
        assert told()
        assert [deal.ended for deal in game.game.deals] == ["void"]
        assert game.game.deals[0].plays == ()
        assert latest_match(game.game).deals == ()


def test_a_second_game_with_another_seed_deck_and_table_is_followed(tmp_path: Path) -> None:
    video = tmp_path / "second.mp4"
    make_second_sample(video)
    truth = true_deal(video)
    right = set(plays_of(followed(video, tmp_path))) & set(true_plays(truth))
    assert len(right) >= PLAYS_OF_SECOND_SAMPLE
