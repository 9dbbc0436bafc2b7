"""A deck from a folder of pictures, one a card."""

from pathlib import Path

import cv2
import numpy as np

from datasets.drawn import CARD_WIDTH_PX, Deck
from vision.errors import UserError
from vision.labels import BACK, CARDS

_KINDS = (".png", ".webp", ".jpg", ".jpeg")
_HEIGHT_MM = 88.0


def load_deck(folder: Path) -> Deck:
    """The deck whose pictures are `AS.png` … `KC.png` and `back.png` in a folder.

    Names are labels of `vision.labels`, in PNG, WebP or JPEG. Transparent corners are kept where
    there are any. Raises `UserError` if the folder, a card or the back is missing or unreadable.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such deck; give drawn, drawn:SEED or a folder of pictures")
    pictures: dict[str, np.ndarray] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in _KINDS:
            picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
            if picture is None or picture.ndim != 3:
                raise UserError(f"{path}: not a colour picture that can be read")
            pictures[path.stem] = picture
    missing = [label for label in (*CARDS, BACK) if label not in pictures]
    if missing:
        raise UserError(f"{folder}: {len(missing)} pictures missing, such as {missing[0]}.png")
    h, w = pictures["AS"].shape[:2]
    size = (CARD_WIDTH_PX, round(CARD_WIDTH_PX * h / w))
    faces = {
        label: cv2.resize(picture[..., :3], size, interpolation=cv2.INTER_AREA).astype(np.uint8)
        for label, picture in pictures.items()
    }
    alpha = np.full(size[::-1], 255, np.uint8)
    if pictures["AS"].shape[2] == 4:
        alpha = cv2.resize(pictures["AS"][..., 3], size, interpolation=cv2.INTER_AREA).astype(
            np.uint8
        )
    return Deck(folder.name, faces, alpha, _HEIGHT_MM * w / h, _HEIGHT_MM)
