"""The training loop: learns, resumes where it stopped, and exports what it trained."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the train extra (PyTorch)")
pytest.importorskip("ultralytics", reason="needs the train extra (Ultralytics)")

from models.export import export  # noqa: E402
from models.finder_training import SceneSet, label_box, new_finder, window  # noqa: E402
from models.loop import Recipe, train  # noqa: E402
from models.reader_training import CropSet, ReaderData, new_reader, shaken, sideways  # noqa: E402
from vision.crop import CROP_HEIGHT, CROP_WIDTH  # noqa: E402
from vision.finder import Finder  # noqa: E402
from vision.geometry import iou, rectangle  # noqa: E402
from vision.labels import BACK, INDEX, LABELS, OTHER  # noqa: E402
from vision.reader import Reader  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # tracing warns about shapes it bakes in


class Line:
    """Points of y = 3x, in batches of 8, the same for the same pass."""

    def __len__(self) -> int:
        return 20

    def batches(self, epoch: int) -> Iterator[dict[str, torch.Tensor]]:
        rng = np.random.default_rng(epoch)
        for _ in range(len(self)):
            x = torch.from_numpy(rng.normal(0, 1, (8, 1, 1, 1)).astype(np.float32))
            yield {"x": x, "y": 3 * x}


def line_loss(model: torch.nn.Module, batch: dict[str, torch.Tensor]):  # type: ignore[no-untyped-def]
    loss = (model(batch["x"]).float() - batch["y"]).square().mean()
    return loss, {"loss": float(loss.detach())}


def a_model() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Conv2d(1, 1, 1)


RECIPE = Recipe(epochs=6, rate=0.1, warmup_steps=5, average=0.9, save_every=7)


def test_it_learns_and_logs(tmp_path: Path) -> None:
    model = train(a_model(), Line(), line_loss, RECIPE, tmp_path)
    assert float(model.weight.squeeze()) == pytest.approx(3, abs=0.2)
    assert (tmp_path / "log.jsonl").read_text().count("\n") == 120 // 50


def test_an_interrupted_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    class Interrupted(Line):
        def batches(self, epoch: int) -> Iterator[dict[str, torch.Tensor]]:
            if epoch == 3:
                raise RuntimeError("the power went out")
            yield from super().batches(epoch)

    with pytest.raises(RuntimeError, match="power"):
        train(a_model(), Interrupted(), line_loss, RECIPE, tmp_path)
    seen: list[int] = []

    class Counted(Line):
        def batches(self, epoch: int) -> Iterator[dict[str, torch.Tensor]]:
            seen.append(epoch)
            yield from super().batches(epoch)

    model = train(a_model(), Counted(), line_loss, RECIPE, tmp_path)
    assert seen == [3, 4, 5]
    assert float(model.weight.squeeze()) == pytest.approx(3, abs=0.2)


def test_a_window_moves_its_quads_with_the_picture() -> None:
    image = np.zeros((512, 512, 3), np.uint8)
    image[200:290, 240:300] = 255
    quad = np.float32([[[240, 200], [300, 200], [300, 290], [240, 290]]])
    for seed in range(5):
        out, (moved,), (kept,) = window(image, quad, np.random.default_rng(seed))
        if kept:
            x, y = moved.mean(axis=0).astype(int)
            assert not (0 <= x < out.shape[1] and 0 <= y < out.shape[0]) or out[y, x].min() > 250


@pytest.mark.parametrize("degrees", range(0, 180, 15))
@pytest.mark.parametrize("first", [0, 1])
def test_a_label_names_the_long_side_first_whichever_way_a_card_lies(
    degrees: int, first: int
) -> None:
    card = rectangle((150, 120), 40, 60, np.radians(degrees))
    quad = np.array(card[first:] + card[:first])
    x, y, long, short, direction, turn = label_box(quad, 320)
    assert (x * 320, y * 320, long * 320, short * 320) == pytest.approx((150, 120, 60, 40))
    assert iou(rectangle((150, 120), 40, 60, direction), card) == pytest.approx(1)
    assert iou(rectangle((150, 120), 40, 60, turn), card) in (
        pytest.approx(1),
        pytest.approx(0.5, abs=0.1),
    )


def test_a_shaken_crop_is_turned_by_half_or_not_but_never_mirrored() -> None:
    crop = np.zeros((CROP_HEIGHT, CROP_WIDTH, 3), np.uint8)
    crop[:40, :30] = 255  # top left
    for seed in range(20):
        out = shaken(crop, np.random.default_rng(seed)).astype(int)
        bright = {
            "top left": out[10:30, 5:20].mean(),
            "top right": out[10:30, -20:-5].mean(),
            "bottom left": out[-30:-10, 5:20].mean(),
            "bottom right": out[-30:-10, -20:-5].mean(),
        }
        assert max(bright, key=bright.__getitem__) in {"top left", "bottom right"}


def test_a_crop_cut_along_the_wrong_side_is_learnt_as_no_card_but_a_back_stays_a_back() -> None:
    images = np.zeros((64, CROP_HEIGHT, CROP_WIDTH, 3), np.uint8)
    labels = np.array([INDEX["AS"], INDEX[BACK]] * 32)
    data = ReaderData(CropSet([images], [labels]), batch=64, seed=2)
    (batch,) = data.batches(0)
    counts = {LABELS[int(i)]: int((batch["cls"] == i).sum()) for i in batch["cls"].unique()}
    assert counts[BACK] == 32
    assert 0 < counts[OTHER] < 16
    assert counts["AS"] + counts[OTHER] == 32


def test_a_sideways_crop_shows_the_whole_card_on_its_side() -> None:
    crop = np.zeros((CROP_HEIGHT, CROP_WIDTH, 3), np.uint8)
    crop[: CROP_HEIGHT // 2] = 255  # its upper half
    out = sideways(crop, np.random.default_rng(0))
    assert out.shape == crop.shape
    left, right = out[:, : CROP_WIDTH // 2 - 2], out[:, CROP_WIDTH // 2 + 2 :]
    assert abs(float(left.mean()) - float(right.mean())) == 255


def test_exported_networks_run_without_pytorch_and_agree_with_it(tmp_path: Path) -> None:
    torch.manual_seed(1)
    reader = new_reader().eval()
    export("reader", reader, tmp_path)
    crop = np.random.default_rng(0).integers(0, 255, (CROP_HEIGHT, CROP_WIDTH, 3)).astype(np.uint8)
    pixels = torch.from_numpy(np.stack([crop, crop[::-1, ::-1]])[..., ::-1].copy())
    with torch.no_grad():
        logits = reader(pixels.permute(0, 3, 1, 2).float() / 255).logits.mean(dim=0)
    expected = torch.log_softmax(logits, 0).numpy()
    (reading,) = Reader.from_folder(tmp_path).read_crops([crop])
    assert np.allclose(reading.log_probs, expected, atol=0.02)
    assert len(reading.log_probs) == len(LABELS)


@pytest.mark.parametrize("shape", [(720, 1280), (480, 640), (900, 500)])
def test_the_exported_finder_takes_any_picture_size(tmp_path: Path, shape: tuple[int, int]) -> None:
    export("finder", new_finder().eval(), tmp_path)
    image = np.zeros((*shape, 3), np.uint8)
    found = Finder.from_folder(tmp_path).find(image, threshold=0.0005)
    assert all(np.isfinite(detection.quad).all() for detection in found)


def test_scene_sets_keep_pictures_and_boxes_together() -> None:
    from models.training import joined, repeats

    one = SceneSet([b"a"], [np.zeros((1, 4, 2))], [np.zeros(1)])
    two = SceneSet([b"b"], [np.zeros((2, 4, 2))], [np.ones(2)])
    both = joined(one, two, 0.75)
    assert both.jpeg == [b"a", b"b", b"b", b"b"]
    assert [len(quads) for quads in both.quads] == [1, 2, 2, 2]
    assert repeats(100, 25, 0.2) == 1
