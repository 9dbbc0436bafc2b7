"""The audit: every kind of flag, and revokes proved exactly when they can be."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.flagtext import describe
from assistant.sueca import (
    Card,
    Deal,
    Flag,
    FlagKind,
    Folder,
    Play,
    Seat,
    Shown,
    Status,
    Suit,
    audit,
    fold,
    preset,
)
from assistant.sueca.audit import REVOKES
from tests.assistant.sueca.builders import Played, deal_of, seeded

SEEDS = st.integers(0, 2**32)
FOLLOWING = ["selminha", "classica", "italiana", "maria-de-copas", "dupla", "dupla-6"]


def kinds(deal: Deal, *, final: bool = False) -> list[FlagKind]:
    return [flag.kind for flag in audit(deal, final=final)]


def only(deal: Deal, kind: FlagKind, *, final: bool = False) -> Flag:
    (flag,) = [flag for flag in audit(deal, final=final) if flag.kind is kind]
    return flag


def proved(deal: Deal) -> set[tuple[Seat, int | None]]:
    return {
        (flag.seats[0], flag.trick)
        for flag in audit(deal)
        if flag.kind in REVOKES and flag.status is Status.PROVED
    }


# --- facts ------------------------------------------------------------------------------------


def test_a_card_not_in_the_deck_is_flagged_where_it_lies() -> None:
    flag = only(deal_of("S:2H E:8H N:4H W:5H"), FlagKind.UNKNOWN_CARD)
    assert (flag.seats, flag.trick, flag.plays) == ((Seat.E,), 1, (1,))


def test_a_trump_card_not_in_the_deck_is_flagged() -> None:
    assert only(deal_of("", trump="8D"), FlagKind.UNKNOWN_CARD).cards[0].text == "8D"


def test_a_repeated_card_is_flagged_with_both_plays() -> None:
    flag = only(deal_of("S:2H E:3H N:4H W:5H W:3H"), FlagKind.REPEATED_CARD)
    assert (flag.seats, flag.trick, flag.plays) == ((Seat.W,), 2, (1, 4))


def test_two_of_a_card_are_right_with_two_packs_and_three_are_not() -> None:
    twice = Deal(preset("dupla"), None, Suit.S, deal_of("1:2H 2:2H").plays)
    assert FlagKind.REPEATED_CARD not in kinds(twice)
    thrice = Deal(preset("dupla"), None, Suit.S, deal_of("1:2H 2:2H 3:2H").plays)
    assert FlagKind.REPEATED_CARD in kinds(thrice)


def test_a_card_out_of_turn_is_flagged_with_whose_turn_it_was() -> None:
    flag = only(deal_of("S:2H N:4H E:3H W:5H"), FlagKind.OUT_OF_TURN)
    assert (flag.seats, flag.trick, flag.expected) == ((Seat.N,), 1, "E")


def test_a_lead_out_of_turn_is_flagged_once_and_the_trick_goes_on_from_there() -> None:
    flag = only(deal_of("S:2H E:3H N:4H W:5H N:2C W:3C S:4C E:5C"), FlagKind.OUT_OF_TURN)
    assert (flag.seats, flag.trick, flag.expected) == ((Seat.N,), 2, "W")


def test_a_first_lead_by_the_wrong_seat_is_out_of_turn_only_if_the_dealer_is_known() -> None:
    assert FlagKind.OUT_OF_TURN in kinds(deal_of("N:2H", dealer="W"))
    assert FlagKind.OUT_OF_TURN not in kinds(deal_of("N:2H", dealer=None))


def test_five_cards_in_a_trick_are_flagged() -> None:
    deal = replace(deal_of("S:2H E:3H N:4H W:5H W:6H W:2C"), trick_sizes=(5,))
    flag = only(deal, FlagKind.WRONG_COUNT)
    assert (flag.trick, len(flag.cards), flag.expected) == (1, 5, "4")


def test_three_cards_in_a_trick_are_flagged_and_the_next_trick_is_read_right() -> None:
    deal = replace(deal_of("S:2H E:3H N:4H N:2C W:3C S:4C E:5C"), trick_sizes=(3,))
    assert kinds(deal) == [FlagKind.WRONG_COUNT]
    assert fold(deal).tricks[1].winner is Seat.E


def test_a_trick_that_lacks_a_card_claims_nothing_of_a_lead_that_was_not_seen() -> None:
    """S leads a joker, which nobody sees: then 3H is no lead, and W, who plays 4C, may have hearts."""
    unseen = deal_of("E:3H N:4H W:4C N:5H W:6H S:7H E:2H", dealer="W")
    short = replace(unseen, trick_sizes=(3,))
    assert kinds(short) == [FlagKind.WRONG_COUNT]
    assert not fold(short).claims
    seen = deal_of("S:2H E:3H N:4H W:4C N:5H W:6H S:7H E:KH", dealer="W")
    assert FlagKind.REVOKE in kinds(seen)


def test_a_trick_that_lacks_a_later_card_still_proves_what_its_lead_does() -> None:
    short = replace(deal_of("S:2H E:3H W:4C E:5H N:6H W:7H S:KH", dealer="W"), trick_sizes=(3,))
    assert {claim.seat for claim in fold(short).claims} == {Seat.W.index}
    assert FlagKind.REVOKE in kinds(short)


def test_who_leads_after_a_trick_that_lacks_a_card_may_have_won_it_with_that() -> None:
    short = replace(deal_of("S:2H E:3H N:4H W:5H", dealer="W"), trick_sizes=(3,))
    assert kinds(short) == [FlagKind.WRONG_COUNT]
    other = replace(deal_of("S:2H E:3H N:4H S:5H", dealer="W"), trick_sizes=(3,))
    assert FlagKind.OUT_OF_TURN in kinds(other)


def test_more_than_ten_cards_from_a_seat_are_flagged() -> None:
    deal = seeded(3).deal
    more = deal.corrected(5, replace(deal.plays[5], seat=deal.plays[4].seat))
    flag = only(more, FlagKind.WRONG_COUNT)
    assert (flag.seats, flag.expected) == ((deal.plays[4].seat,), "10")


def test_a_seat_that_is_not_at_this_table_is_flagged() -> None:
    assert FlagKind.WRONG_SEAT in kinds(deal_of("7:2H"))
    assert FlagKind.WRONG_SEAT in kinds(deal_of("1:2H"))


def test_missing_cards_are_flagged_only_once_nothing_more_will_be_seen() -> None:
    deal = seeded(4).deal
    nine = replace(deal, plays=deal.plays[:36])
    assert FlagKind.MISSING_CARDS not in kinds(nine)
    flag = only(nine, FlagKind.MISSING_CARDS, final=True)
    assert set(flag.cards) == {play.card for play in deal.plays[36:]}


def test_a_card_misread_leaves_one_missing() -> None:
    deal = seeded(5).deal
    wrong = deal.corrected(7, replace(deal.plays[7], card=deal.plays[0].card))
    assert only(wrong, FlagKind.MISSING_CARDS).cards == (deal.plays[7].card,)


def test_a_trump_never_seen_is_flagged_at_the_end() -> None:
    deal = replace(seeded(6).deal, trump=None)
    assert FlagKind.UNKNOWN_TRUMP in kinds(deal, final=True)
    assert FlagKind.UNKNOWN_TRUMP not in kinds(deal)


def test_the_trump_card_played_by_another_than_the_dealer_is_flagged() -> None:
    flag = only(deal_of("S:2H E:2D", dealer="W", trump="2D"), FlagKind.TRUMP_NOT_WITH_DEALER)
    assert (flag.seats, flag.trick, flag.expected) == ((Seat.E,), 1, "W")


def test_with_the_dealer_unknown_nothing_is_said_of_the_trump_card_but_who_held_it() -> None:
    deal = deal_of("S:2H E:2D", dealer=None, trump="2D")
    assert FlagKind.TRUMP_NOT_WITH_DEALER not in kinds(deal)
    assert fold(deal).trump_holder is Seat.E


def test_in_bisca_the_card_under_the_stock_cannot_be_played_before_the_stock_is_gone() -> None:
    deal = deal_of("S:2H E:2D", dealer="W", trump="2D", rules="bisca")
    assert FlagKind.TRUMP_FROM_STOCK not in kinds(deal)
    deal = deal_of("S:2H E:2D N:3H W:4H", dealer="W", trump="2D", rules="bisca")
    assert only(deal, FlagKind.TRUMP_FROM_STOCK).seats == (Seat.E,)


def test_everything_wrong_is_reported_at_once() -> None:
    deal = deal_of("E:2H S:8H N:2H W:5H", dealer="W", trump="5H")
    found = set(kinds(deal, final=True))
    assert found >= {
        FlagKind.OUT_OF_TURN,
        FlagKind.UNKNOWN_CARD,
        FlagKind.REPEATED_CARD,
        FlagKind.MISSING_CARDS,
    }


# --- revokes proved by the offender's own cards -------------------------------------------------


def test_a_revoke_is_proved_by_a_later_card_that_follows() -> None:
    deal = deal_of("S:2H E:2C N:4H W:5H W:6H S:AH E:3H N:QH", dealer="W", trump="2S")
    flag = only(deal, FlagKind.REVOKE)
    assert (flag.status, flag.seats, flag.trick, flag.proved_in) == (
        Status.PROVED,
        (Seat.E,),
        1,
        2,
    )
    assert (flag.plays, flag.suit) == ((1, 6), Suit.H)


@pytest.mark.parametrize("doubted", [1, 6])
def test_a_revoke_that_hangs_on_a_doubtful_play_is_only_possible(doubted: int) -> None:
    deal = deal_of("S:2H E:2C N:4H W:5H W:6H S:AH E:3H N:QH", dealer="W", trump="2S")
    plays = [replace(p, p=0.7) if i == doubted else p for i, p in enumerate(deal.plays)]
    flag = only(replace(deal, plays=tuple(plays)), FlagKind.REVOKE)
    assert (flag.status, flag.p, flag.proves_revoke) == (Status.POSSIBLE, 0.7, False)
    assert (flag.trick, flag.proved_in) == (1, 2)
    assert "3♥" in describe(flag, "en")


def test_a_revoke_is_proved_by_a_card_led() -> None:
    deal = deal_of("S:2H E:2S N:4H W:5H E:6H", dealer="W", trump="3S")
    flag = only(deal, FlagKind.REVOKE)
    assert (flag.seats, flag.trick, flag.proved_in) == ((Seat.E,), 1, 2)


def test_a_revoke_is_proved_by_a_discard_of_the_suit_refused_before() -> None:
    deal = deal_of("S:2H E:2C N:4H W:5H W:2D S:3D E:3H N:4D", dealer="W", trump="2S")
    assert proved(deal) == {(Seat.E, 1)}


def test_two_refusals_before_the_proof_are_two_revokes() -> None:
    deal = deal_of(
        "S:2H E:2C N:4H W:5H W:6H S:AH E:3C N:QH S:7H E:KH N:JH W:4C", dealer="W", trump="2S"
    )
    assert proved(deal) == {(Seat.E, 1), (Seat.E, 2)}


def test_the_dealers_face_up_card_proves_at_once() -> None:
    deal = deal_of("S:3D E:4D N:5D W:2C", dealer="W", trump="2D")
    flag = only(deal, FlagKind.REVOKE)
    assert (flag.seats, flag.trick, flag.proved_in, flag.by_shown) == ((Seat.W,), 1, 1, True)


def test_the_face_up_card_proves_nothing_once_it_was_played() -> None:
    deal = deal_of("S:3H E:4H N:5H W:2D W:3C S:4C E:5C N:6C N:3D W:2S", dealer="W", trump="2D")
    assert proved(deal) == set()


def test_the_face_up_card_proves_nothing_if_somebody_else_turned_out_to_hold_it() -> None:
    deal = deal_of("S:3D E:4D N:5D W:2C E:2D", dealer="W", trump="2D")
    assert FlagKind.REVOKE not in kinds(deal)
    assert FlagKind.TRUMP_NOT_WITH_DEALER in kinds(deal)


def test_a_hand_lying_open_proves_at_once_tres_and_aberta() -> None:
    shown = (Shown(Seat.E, Card.parse("3H")),)
    deal = replace(deal_of("S:2H E:2C", dealer="W", trump="2S"), shown=shown)
    assert proved(deal) == {(Seat.E, 1)}


def test_cards_laid_down_at_the_end_prove_revokes_before() -> None:
    shown = (Shown(Seat.E, Card.parse("3H"), after=4),)
    deal = replace(deal_of("S:2H E:2C N:4H W:5H", dealer="W", trump="2S"), shown=shown)
    flag = only(deal, FlagKind.REVOKE)
    assert (flag.trick, flag.proved_in) == (1, 2)


def test_italiana_a_trump_played_after_one_was_owed_proves_it() -> None:
    text = "S:2H E:2C N:4H W:5H W:6C S:7C E:3S N:8C"
    flag = only(deal_of(text, trump="2S", rules="italiana"), FlagKind.MUST_TRUMP)
    assert (flag.seats, flag.trick, flag.proved_in) == ((Seat.E,), 1, 2)


def test_portuguesa_ruffing_is_optional() -> None:
    text = "S:2H E:2C N:4H W:5H W:6C S:7C E:3S N:KC"
    assert FlagKind.MUST_TRUMP not in kinds(deal_of(text, trump="2S"))


def test_italiana_the_dealer_who_does_not_trump_has_a_trump_lying_face_up() -> None:
    flag = only(
        deal_of("S:2H E:3H N:4H W:2C", trump="2S", dealer="W", rules="italiana"),
        FlagKind.MUST_TRUMP,
    )
    assert (flag.seats, flag.by_shown) == ((Seat.W,), True)


def test_italiana_not_following_a_trump_led_is_a_revoke_and_nothing_else() -> None:
    text = "S:3D E:2C N:4D W:5D W:6C S:7C E:KD N:QC"
    assert kinds(deal_of(text, trump="2D", rules="italiana")) == [FlagKind.REVOKE]


def dupla_deal(seed: int) -> Deal:
    """A legal deal of two packs in which a seat other than the dealer plays a twin of the trump
    card before the dealer does."""
    while True:
        deal = seeded(seed, "dupla").deal
        first = next(play.seat for play in deal.plays if play.card is deal.trump)
        if first is not deal.dealer:
            return deal
        seed += 1


def test_dupla_another_may_play_the_trump_cards_twin() -> None:
    deal = dupla_deal(0)
    for number in range(len(deal.plays)):
        now = replace(deal, plays=deal.plays[:number])
        assert FlagKind.TRUMP_NOT_WITH_DEALER not in kinds(now)


def test_dupla_a_dealer_who_never_plays_the_trump_card_did_not_hold_it() -> None:
    deal = dupla_deal(0)
    other = next(
        i for i, p in enumerate(deal.plays) if p.seat is deal.dealer and p.card is deal.trump
    )
    wrong = deal.corrected(other, Play(deal.plays[other].seat, deal.plays[0].card))
    assert FlagKind.TRUMP_NOT_WITH_DEALER in kinds(wrong)


def test_bisca_knows_no_revoke() -> None:
    deal = deal_of("S:2H E:2C N:4H W:5H W:6H S:AH E:3H N:QH", trump="2S", rules="bisca")
    assert audit(deal) == ()


def test_a_foreign_card_is_no_discard() -> None:
    deal = deal_of("S:2H E:?? N:4H W:5H W:6H S:AH E:3H", dealer="W", trump="2S")
    assert FlagKind.REVOKE not in kinds(deal)


def test_a_proof_carries_the_chance_that_both_readings_are_right() -> None:
    deal = deal_of("S:2H E:2C N:4H W:5H W:6H S:AH E:3H", dealer="W", trump="2S")
    deal = deal.corrected(1, replace(deal.plays[1], p=0.9))
    deal = deal.corrected(6, replace(deal.plays[6], p=0.8))
    assert only(deal, FlagKind.REVOKE).p == pytest.approx(0.72)


# --- exactness --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FOLLOWING)
@given(seed=SEEDS)
def test_every_legal_deal_audits_clean(name: str, seed: int) -> None:
    assert audit(seeded(seed, name).deal, final=True) == ()


@pytest.mark.parametrize("name", FOLLOWING)
@given(seed=SEEDS, revoke=st.sampled_from([0.02, 0.2, 1.0]))
def test_on_a_complete_deal_the_proved_revokes_are_the_illegal_cards(
    name: str, seed: int, revoke: float
) -> None:
    played = seeded(seed, name, revoke)
    assert proved(played.deal) == played.revokes


def one_revoke(seed: int) -> Played:
    """A deal with exactly one revoke, found by trying seeds from `seed` on."""
    while True:
        played = seeded(seed, "selminha", 0.02)
        if len(played.revokes) == 1:
            return played
        seed += 1


@settings(deadline=None, max_examples=40)
@given(seed=SEEDS)
def test_one_injected_revoke_is_found_with_its_seat_and_both_tricks(seed: int) -> None:
    played = one_revoke(seed)
    ((seat, trick),) = played.revokes
    flags = audit(played.deal, final=True)
    led = fold(played.deal).tricks[trick - 1].cards[0].suit
    later = [
        t.number
        for t in fold(played.deal).tricks[trick:]
        for play in t.plays
        if play.seat is seat and play.card.suit is led
    ]
    shows_trump = seat is played.deal.dealer and led is played.deal.trump_suit
    (flag,) = flags
    assert (flag.seats, flag.trick) == ((seat,), trick)
    assert flag.proved_in == (trick if flag.by_shown else later[0])
    assert shows_trump or not flag.by_shown


@settings(deadline=None, max_examples=40)
@given(
    seed=SEEDS,
    name=st.sampled_from(["selminha", "classica", "italiana"]),
    revoke=st.sampled_from([0.02, 0.3]),
)
def test_live_and_final_agree(seed: int, name: str, revoke: float) -> None:
    """A flag once proved stays as it is; at the end they are the review's."""
    deal = seeded(seed, name, revoke).deal
    folder = Folder(replace(deal, plays=()))
    live: set[Flag] = set()
    for play in deal.plays:
        folder.push(play)
        now = {flag for flag in audit(folder.state()) if flag.status is Status.PROVED}
        assert live <= now
        live = now
    assert live == {flag for flag in audit(deal, final=True) if flag.status is Status.PROVED}


@settings(deadline=None, max_examples=40)
@given(seed=SEEDS, revoke=st.sampled_from([0.05, 0.5]))
def test_one_among_several_always_contains_an_offender(seed: int, revoke: float) -> None:
    played = seeded(seed, "selminha", revoke)
    offenders = {seat for seat, _ in played.revokes}
    folder = Folder(replace(played.deal, plays=()))
    for play in played.deal.plays:
        folder.push(play)
        for flag in audit(folder.state()):
            if flag.status is Status.AMONG:
                assert offenders & set(flag.seats)


def test_more_hearts_out_than_those_not_void_can_hold_prove_a_revoke_of_one_among_several() -> None:
    # Hearts: all but S refuse the first lead. Nine are out, S can hold nine cards: possible.
    # Then S plays clubs twice and can hold only seven of the nine.
    text = "S:2H E:2C N:3C W:4C S:5C E:6C N:QC W:JC W:KC S:7C E:2D N:3D"
    flag = only(deal_of(text, dealer="W", trump="2S"), FlagKind.REVOKE)
    assert flag.status is Status.AMONG
    assert set(flag.seats) == {Seat.E, Seat.N, Seat.W}
    assert flag.proves_revoke


@settings(deadline=None, max_examples=40)
@given(seed=SEEDS)
def test_a_possible_revoke_is_never_called_proved_and_has_a_chance_below_one(seed: int) -> None:
    deal = seeded(seed, "selminha").deal
    folder = Folder(replace(deal, plays=()))
    for play in deal.plays:
        folder.push(play)
        for flag in audit(folder.state()):
            assert flag.status is Status.POSSIBLE
            assert 0.95 <= flag.p < 1


@pytest.mark.parametrize(("held", "believed"), [(0.5, 0.0099), (0.96, 0.1935), (0.999, 0.9090)])
def test_an_unlikely_discard_is_most_likely_an_honest_one(held: float, believed: float) -> None:
    flag = Flag(FlagKind.REVOKE, Status.POSSIBLE, (Seat.E,), 1, p=held, suit=Suit.H)
    assert flag.believed == pytest.approx(believed, abs=1e-4)
    said = describe(flag, "en")
    assert f"about {round(100 * believed)}%" in said
    assert f"in {min(99, round(100 * held))}% of the possible deals" in said


def test_a_proof_is_believed_as_far_as_its_plays_are() -> None:
    deal = deal_of("S:2H E:2C N:4H W:5H W:6H S:AH E:3H N:QH", dealer="W", trump="2S")
    plays = tuple(replace(p, p=0.99) for p in deal.plays)
    flag = only(replace(deal, plays=plays), FlagKind.REVOKE)
    assert flag.believed == flag.p == pytest.approx(0.99**2)


def test_a_play_corrected_takes_its_flag_with_it() -> None:
    deal = deal_of("S:2H E:2C N:4H W:5H W:6H S:AH E:3H N:QH", dealer="W", trump="2S")
    assert proved(deal.corrected(1, Play(Seat.E, Card.parse("KH")))) == set()
