"""What the verifier learns from, how its word is weighed, and that what runs is what was trained."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch", reason="needs the train extra (PyTorch)")

from datasets.build import write_shard  # noqa: E402
from models.cli import app  # noqa: E402
from models.evaluate import Labelled, Photograph  # noqa: E402
from models.export import export  # noqa: E402
from models.finder_training import SceneSet, new_finder  # noqa: E402
from models.training import Job, train_verifier  # noqa: E402
from models.verifier_network import CardVerifier  # noqa: E402
from models.verifier_training import VerifierData, train_set, weighed  # noqa: E402
from models.views import ViewSet, load_views, of_photographs, of_scenes  # noqa: E402
from vision.errors import UserError  # noqa: E402
from vision.finder import Finder, Rows  # noqa: E402
from vision.types import Detection, Image  # noqa: E402
from vision.verifier import VIEW_HEIGHT, VIEW_WIDTH, Verifier  # noqa: E402
from vision.weights import load_weights  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # tracing warns that it is deprecated

JPEG = cv2.imencode(".jpg", np.zeros((300, 300, 3), np.uint8))[1].tobytes()
CARD = np.array([[100, 80], [160, 80], [160, 170], [100, 170]], float)


def row(dx: float, p: float = 0.9) -> list[float]:
    """A box like the card's, so far to its right."""
    return [130.0 + dx, 125, 90, 60, np.pi / 2, p, 0, np.pi / 2]


class Proposes:
    """A finder that proposes what it was told to, at any size."""

    def __init__(self, *rows: list[float]) -> None:
        self.rows = np.array(rows)
        self.sides: list[int] = []

    def proposals(self, image: Image, threshold: float, side: int) -> Rows:
        self.sides.append(side)
        return self.rows

    def find_any_size(self, image: Image) -> list[Detection]:
        quad = ((100.0, 80.0), (160.0, 80.0), (160.0, 170.0), (100.0, 170.0))
        return [Detection(quad, "up", 0.9)]


def views_of(folder: Path, finder: Proposes, face: int = 0) -> list[int]:
    scenes = SceneSet([JPEG], [CARD[None]], [np.array([face])])
    list(of_scenes(scenes, finder, folder))  # type: ignore[arg-type]
    return load_views(folder)[0].kinds.tolist()


def test_a_card_s_own_box_is_a_card_and_any_other_is_none(tmp_path: Path) -> None:
    finder = Proposes(row(2), row(8, 0.5), row(120, 0.1))
    assert views_of(tmp_path / "up", finder) == [1, 0, 0]
    assert views_of(tmp_path / "down", finder, face=1) == [2, 0, 0]


def test_a_box_nearly_on_a_card_teaches_nothing(tmp_path: Path) -> None:
    assert views_of(tmp_path, Proposes(row(0), row(24))) == [1]  # IoU 0.43


def test_views_that_are_there_are_not_cut_again(tmp_path: Path) -> None:
    views_of(tmp_path, Proposes(row(0)))
    again = Proposes(row(120))
    assert views_of(tmp_path, again) == [1]
    assert again.sides == []


def photograph(tmp_path: Path, complete: bool) -> Photograph:
    path = tmp_path / "one.png"
    cv2.imwrite(str(path), np.zeros((300, 300, 3), np.uint8))
    return Photograph(path, "here", (Labelled("7D", (100, 80, 160, 170), None),), complete)


def test_of_photographs_only_weak_boxes_in_the_open_are_taken_for_nothing(tmp_path: Path) -> None:
    finder = Proposes(row(0), row(30, 0.1), row(120, 0.1), row(120, 0.5))
    list(of_photographs([photograph(tmp_path, True)], finder, tmp_path))  # type: ignore[arg-type]
    assert load_views(tmp_path)[0].kinds.tolist() == [1, 0] * 2  # at two sizes


def test_a_photograph_with_cards_not_labelled_teaches_nothing(tmp_path: Path) -> None:
    some = [photograph(tmp_path, False), photograph(tmp_path, True)]
    list(of_photographs(some, Proposes(row(0)), tmp_path))  # type: ignore[arg-type]
    assert len(load_views(tmp_path)[0]) == 2


def test_pictures_in_which_nothing_is_proposed_give_no_views(tmp_path: Path) -> None:
    list(of_photographs([photograph(tmp_path, False)], Proposes(row(0)), tmp_path))  # type: ignore[arg-type]
    assert load_views(tmp_path)[0].views.shape == (0, VIEW_HEIGHT, VIEW_WIDTH, 3)


def test_views_are_cut_by_a_command(tmp_path: Path) -> None:
    scenes = tmp_path / "data"
    scenes.mkdir()
    write_shard(
        scenes / "scenes-0000.npz",
        jpeg=np.frombuffer(JPEG * 2, np.uint8),
        ends=np.array([len(JPEG), 2 * len(JPEG)]),
        quads=CARD[None],
        classes=np.array([0]),
        counts=np.array([1, 0]),
    )
    said = CliRunner().invoke(
        app, ["cut-views", str(scenes), "--out", str(tmp_path / "v"), "--json"]
    )
    assert json.loads(said.stdout)["pictures"] == 2, said.output
    assert len(load_views(tmp_path / "v")) == 1


def test_a_manifest_of_photographs_that_is_not_there_is_refused(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["cut-views", str(tmp_path / "no.json"), "--out", str(tmp_path)])
    assert isinstance(said.exception, UserError)


def test_without_views_the_command_that_cuts_them_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cut-views"):
        load_views(tmp_path)


def a_shard(count: int, kind: int, seed: int = 0) -> ViewSet:
    rng = np.random.default_rng(seed)
    views = rng.integers(0, 255, (count, VIEW_HEIGHT, VIEW_WIDTH, 3)).astype(np.uint8)
    return ViewSet(views, np.full(count, 0.5, np.float32), np.full(count, kind, np.int64))


def test_the_last_shards_are_held_back_and_photographs_get_their_share() -> None:
    made = [a_shard(10, 0) for _ in range(39)] + [a_shard(7, 2)] * 2
    learnt, held = train_set(made, [a_shard(5, 1)], 0.2)
    assert held.kinds.tolist() == [2] * 14
    assert (learnt.kinds == 1).mean() == pytest.approx(0.2, abs=0.01)


def test_what_is_weighed_together_means_what_it_says() -> None:
    rng = np.random.default_rng(1)
    finders, own = rng.normal(0, 2, (2, 20_000))
    truth = 0.5 * finders + 1.5 * own - 0.7
    cards = rng.random(20_000) < 1 / (1 + np.exp(-truth))
    assert weighed(finders, own, cards) == pytest.approx((0.5, 1.5, -0.7), abs=0.07)


def test_the_same_seed_shakes_views_alike() -> None:
    data = VerifierData(a_shard(8, 1), batch=4, seed=3)
    first, second = list(data.batches(0)), list(data.batches(0))
    assert all(torch.equal(a["img"], b["img"]) for a, b in zip(first, second, strict=True))
    assert not torch.equal(first[0]["img"], next(iter(data.batches(1)))["img"])


def test_the_exported_verifier_says_what_the_trained_one_says(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = CardVerifier().eval()
    network.weighing.copy_(torch.tensor([0.7, 1.3, 0.2]))
    export("verifier", network, tmp_path, threshold=0.6)
    picture = np.random.default_rng(0).integers(0, 255, (200, 200, 3)).astype(np.uint8)
    quad = ((60.0, 40.0), (120.0, 40.0), (120.0, 130.0), (60.0, 130.0))
    verifier = Verifier(load_weights("verifier", tmp_path))
    verdicts = verifier.verify(picture, [quad, quad], np.array([0.3, 0.8]))
    from vision.verifier import view

    pixels = torch.from_numpy(view(picture, quad)[..., ::-1].copy()).permute(2, 0, 1)[None] / 255
    with torch.no_grad():
        said = network.verdicts(pixels.repeat(2, 1, 1, 1), torch.logit(torch.tensor([0.3, 0.8])))
    assert np.allclose(verdicts.p, torch.sigmoid(said[:, 0]), atol=0.01)
    assert np.allclose(verdicts.down, said[:, 1], atol=0.02)
    assert verdicts.p[1] > verdicts.p[0]  # the finder's word counts
    assert verifier.weights.threshold == 0.6


def test_a_trained_verifier_comes_along_with_the_finder(tmp_path: Path) -> None:
    views = a_shard(16, 0)
    np.savez(tmp_path / "views-0000.npz", views=views.views, p=views.p, kinds=views.kinds)
    job = Job(tmp_path, tmp_path / "run", 1, 0.001, 8, None, None, 1)
    network = torch.load(train_verifier(job), weights_only=False)["model"].float()
    export("finder", new_finder().eval(), tmp_path, threshold=0.4)
    assert Finder.from_folder(tmp_path).all_weights[-1].threshold == 0.4
    export("verifier", network, tmp_path, threshold=0.5)
    finder = Finder.from_folder(tmp_path)
    assert [w.threshold for w in finder.all_weights] == [0.4, 0.5]
    assert finder.threshold == 0.5
    assert finder.find(np.zeros((96, 96, 3), np.uint8), threshold=0.0005) is not None
