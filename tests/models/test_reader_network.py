"""The reader's network: what its two looks see, and from what it may be trained on."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the train extra")

from ultralytics.nn.tasks import ClassificationModel  # noqa: E402

from models.reader_network import CardReader  # noqa: E402
from models.reader_training import new_reader  # noqa: E402
from vision.crop import CORNER_HEIGHT, CROP_HEIGHT, CROP_WIDTH  # noqa: E402
from vision.labels import LABELS  # noqa: E402


@pytest.fixture(scope="module")
def network() -> CardReader:
    torch.manual_seed(3)
    return CardReader().eval()


def a_crop(seed: int) -> torch.Tensor:
    return torch.rand(1, 3, CROP_HEIGHT, CROP_WIDTH, generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def test_the_corners_say_the_same_whichever_end_is_up(network: CardReader) -> None:
    crop = a_crop(1)
    assert torch.allclose(network(crop).corners, network(crop.flip(2, 3)).corners, atol=1e-5)


@torch.no_grad()
def test_the_corners_do_not_see_the_picture_between_them(network: CardReader) -> None:
    crop = a_crop(1)
    other = crop.clone()
    between = slice(CORNER_HEIGHT, CROP_HEIGHT - CORNER_HEIGHT)
    other[:, :, between] = a_crop(2)[:, :, between]
    assert torch.equal(network(crop).corners, network(other).corners)
    assert not torch.equal(network(crop).features, network(other).features)


@torch.no_grad()
def test_both_looks_are_added(network: CardReader) -> None:
    out = network(a_crop(1))
    assert torch.allclose(out.logits, out.whole + out.corners)
    assert out.logits.shape == (1, len(LABELS))


def test_a_plain_classifier_gives_the_look_at_the_whole_card(tmp_path: Path) -> None:
    plain = ClassificationModel("yolo11n-cls.yaml", ch=3, nc=len(LABELS), verbose=False)
    torch.save({"model": plain}, tmp_path / "plain.pt")
    reader = new_reader(tmp_path / "plain.pt")
    theirs, ours = plain.state_dict(), reader.whole.state_dict()
    assert all(torch.equal(theirs[name], ours[name]) for name in theirs)


def test_a_reader_is_trained_on_from_its_own_checkpoint(tmp_path: Path) -> None:
    before = CardReader()
    torch.save({"model": before}, tmp_path / "reader.pt")
    after = new_reader(tmp_path / "reader.pt").state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.state_dict().items())
