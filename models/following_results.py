"""What came of following a video, kept as a small file, so that a long evaluation can be broken off.

A result is named after its video and the weights that followed it. The code is not part of the name:
after a change of code ask for everything anew (`evaluate-following --again`).
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from models.flag_figures import JudgedFlag
from models.following import FollowedDeal, PlayError
from vision.errors import UserError


@dataclass(frozen=True, slots=True)
class Made:
    """One video to follow: `deck` as of `datasets.deck_named`; `deals` in a row; `variant` one of
    `models.following_videos.VARIANTS`, or none."""

    level: str
    seed: int
    deck: str
    deals: int = 1
    variant: str = ""

    @property
    def name(self) -> str:
        several = f"-{self.deals}deals" if self.deals > 1 else ""
        variant = f"-{self.variant}" if self.variant else ""
        deck = Path(self.deck).name.replace(":", "-")  # of a folder of pictures its name
        return f"{self.level}-{self.seed}-{deck}{several}{variant}"

    @property
    def group(self) -> str:
        """What it is reported under: its level, with what is unlike the level's other videos."""
        several = f"{self.deals} deals" if self.deals > 1 else ""
        return ", ".join(part for part in (self.level, several, self.variant) if part)


@dataclass(frozen=True, slots=True)
class FollowedVideo:
    """What came of one video. `delays`: settled to announced, seconds of the video, and `computing` by how
    much later the same plays were there, each frame computed when it came and the one before was done;
    `seconds` taken, `duration` of the video."""

    made: Made
    deals: tuple[FollowedDeal, ...]
    delays: tuple[float, ...]
    frames: int
    seconds: float
    duration: float
    computing: tuple[float, ...] = ()


def result_path(folder: Path, made: Made, weights: str) -> Path:
    """Where the result of a video followed with `weights` (their version) is kept."""
    return folder / "results" / f"{made.name}.{weights}.json"


def events_path(result: Path) -> Path:
    """Where the table events of a result's video are kept (`models.recorded`)."""
    return result.with_suffix(".events.gz")


def keep(video: FollowedVideo, path: Path) -> None:
    """Write a result; one broken off half-way leaves no half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    unfinished.write_text(json.dumps(asdict(video)), encoding="utf-8")
    unfinished.replace(path)


def kept(path: Path) -> FollowedVideo | None:
    """A result kept before; None where there is none.

    Raises `UserError` on a file that is no result.
    """
    if not path.exists():
        return None
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return FollowedVideo(
            made=Made(**told["made"]),
            deals=tuple(_deal(deal) for deal in told["deals"]),
            delays=tuple(told["delays"]),
            frames=told["frames"],
            seconds=told["seconds"],
            duration=told["duration"],
            computing=tuple(told.get("computing", ())),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: not a result of this program; delete it ({error})") from error


def _deal(told: dict) -> FollowedDeal:  # type: ignore[type-arg]
    errors = tuple(PlayError(**error) for error in told["errors"])
    sure = tuple((float(p), bool(right)) for p, right in told["sure"])
    flags = tuple(JudgedFlag(**flag) for flag in told.get("flags", ()))
    return FollowedDeal(**{**told, "errors": errors, "sure": sure, "flags": flags})
