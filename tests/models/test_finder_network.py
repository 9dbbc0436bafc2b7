"""The finder's network: how a card is turned is said without a jump anywhere."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra (PyTorch)")
pytest.importorskip("ultralytics", reason="needs the train extra (Ultralytics)")

from models.finder_network import TurnLoss, places, vectors  # noqa: E402
from models.finder_training import label_box, new_finder  # noqa: E402
from vision.boxes import BINS, MIDDLE  # noqa: E402
from vision.geometry import rectangle  # noqa: E402


def said_of(quad: np.ndarray) -> torch.Tensor:
    """All that the network shall say of a card: where, how large, and how turned."""
    *box, direction, turn = label_box(quad, 320)
    there = places(torch.tensor([[[*box, direction]]]) * 32, torch.full((1, 2), 16.0))[0, 0]
    return torch.cat([there, vectors(torch.tensor([direction]), torch.tensor([turn]))[0]])


@pytest.mark.parametrize("degrees", range(0, 180, 5))
@pytest.mark.parametrize("squeeze", [1.0, 0.8, 0.5])
def test_the_least_turn_of_a_card_changes_the_least_of_what_is_said(
    degrees: int, squeeze: float
) -> None:
    """From above, and as seen from a chair, where it looks shorter and slanting."""
    one, other = (
        np.array(rectangle((160, 160), 60, 90, math.radians(d))) * (1, squeeze)
        for d in (degrees - 0.5, degrees + 0.5)
    )
    assert float((said_of(one) - said_of(other)).norm()) < 0.15


def test_a_card_that_looks_square_is_said_the_same_whichever_sides_are_the_long_ones() -> None:
    """A circle has no direction: what is said of it counts for nothing (`LONG`)."""
    near, far = (np.array(rectangle((160, 160), 60, 60 + by, 0.4)) for by in (0.01, -0.01))
    assert said_of(near)[:4].tolist() == pytest.approx(said_of(far)[:4].tolist(), abs=0.01)
    assert said_of(near)[6:].tolist() == pytest.approx(said_of(far)[6:].tolist(), abs=0.01)


def test_a_middle_to_the_left_or_right_of_where_it_is_seen_from_can_be_said() -> None:
    box = torch.tensor([[[10.0, 20.0, 6.0, 4.0, 0.3]]])
    said = places(box, torch.tensor([[12.0, 19.0]]))[0, 0]
    assert said.tolist() == pytest.approx([MIDDLE - 2, MIDDLE + 1, 3, 2])
    far = places(box * 10, torch.tensor([[0.0, 0.0]]))[0, 0]
    assert far.max() < BINS - 1


def loss_of(direction: float, width: float, length: float, degrees: float) -> float:
    """What a box at one place costs for its turn, where the true card is `width` by `length`."""
    loss = TurnLoss(new_finder())
    angle = torch.tensor([math.radians(degrees)])
    loss._turns = vectors(torch.tensor([math.radians(direction)]), angle)[None]
    loss._true_turns, loss._assigned = angle[None], torch.zeros((1, 1), dtype=torch.int64)
    true = torch.tensor([[[5.0, 5.0, length, width, math.radians(degrees)]]])
    there = torch.ones((1, 1), dtype=torch.bool)
    return float(loss.calculate_angle_loss(true, true, there, torch.ones(1), torch.tensor(1.0)))


def test_a_card_taken_for_lying_across_costs_nothing_only_where_it_is_square() -> None:
    assert loss_of(20, 60, 90, 20) == pytest.approx(0, abs=1e-5)
    assert loss_of(110, 60, 90, 20) > 1
    assert loss_of(110, 60, 60, 20) == pytest.approx(0, abs=1e-5)


def test_the_network_learns_how_a_card_is_turned() -> None:
    torch.manual_seed(0)
    model = new_finder().train()
    picture = torch.rand((1, 3, 96, 96), generator=torch.Generator().manual_seed(1))
    batch = {
        "img": picture,
        "batch_idx": torch.zeros(1),
        "cls": torch.zeros(1),
        "bboxes": torch.tensor([[0.5, 0.5, 0.6, 0.4, 2.2]]),
        "turns": torch.tensor([2.0]),
    }
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for _ in range(40):
        total, parts = model.loss(batch, model(batch["img"]))
        optimiser.zero_grad()
        total.sum().backward()
        optimiser.step()
    assert float(parts["angle_loss"]) < 0.3


def test_each_card_learns_its_own_turn_however_many_lie_in_a_picture() -> None:
    batch = {
        "batch_idx": torch.tensor([0.0, 0.0, 1.0]),
        "cls": torch.zeros(3),
        "bboxes": torch.tensor([[0.2, 0.2, 0.3, 0.2, 0.1], [0.7, 0.7, 0.3, 0.2, 0.2], [0.5] * 5]),
        "turns": torch.tensor([1.0, 2.0, 3.0]),
    }
    laid_out = TurnLoss(new_finder())._by_picture(batch, 2)
    assert laid_out.tolist() == [[1.0, 2.0], [3.0, 0.0]]
