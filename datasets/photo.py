"""What a lamp, a lens and a cheap camera do to a picture of a table. All on BGR float32, 0-255."""

import cv2
import numpy as np
import numpy.typing as npt

from vision.types import Image

Picture = npt.NDArray[np.float32]
"""(height, width, 3) BGR, 0-255."""

Rng = np.random.Generator


def smooth_field(rng: Rng, height: int, width: int, cells: int = 4) -> npt.NDArray[np.float32]:
    """(height, width) of smooth noise, about -1 to 1."""
    coarse = rng.normal(0, 0.6, (cells, cells)).astype(np.float32)
    return cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)


def light(picture: Picture, rng: Rng) -> Picture:
    """Uneven light: a gradient over the table, sometimes a lamp's pool or its warm side."""
    height, width = picture.shape[:2]
    strength = rng.choice([0.08, 0.2, 0.4], p=[0.45, 0.35, 0.2])
    field = 1 + strength * smooth_field(rng, height, width, int(rng.integers(2, 4)))
    picture = picture * np.clip(field, 0.25, 1.8)[..., None]
    if rng.random() < 0.25:
        tint = np.float32(rng.normal(0, 0.08, 3))
        picture = picture * (1 + smooth_field(rng, height, width, 2)[..., None] * tint)
    return picture


def _blob(rng: Rng, height: int, width: int, size: float) -> npt.NDArray[np.float32]:
    """A soft ellipse somewhere in the picture, 0-1; `size` as a fraction of the long side."""
    scale = 4  # soft shapes need no full resolution
    h, w = max(8, height // scale), max(8, width // scale)
    mask = np.zeros((h, w), np.float32)
    centre = (int(rng.integers(w)), int(rng.integers(h)))
    long = max(3, int(max(h, w) * size * rng.uniform(0.5, 1)))
    axes = (long, max(2, int(long * rng.uniform(0.2, 1))))
    cv2.ellipse(mask, centre, axes, float(rng.uniform(0, 180)), 0, 360, 1.0, -1)
    soft = max(0.8, long * rng.uniform(0.1, 0.5))
    return cv2.resize(cv2.GaussianBlur(mask, (0, 0), soft), (width, height))


def glare(picture: Picture, rng: Rng) -> Picture:
    """A lamp or window mirrored by glossy stock."""
    height, width = picture.shape[:2]
    blob = _blob(rng, height, width, rng.uniform(0.08, 0.4))[..., None]
    tint = np.float32([255, 255, 255]) - np.float32(rng.uniform(0, 30, 3))
    amount = blob * rng.uniform(0.15, 0.85)
    return picture * (1 - amount) + tint * amount


def shadow(picture: Picture, rng: Rng) -> Picture:
    """A person's or arm's shadow, or the hard edge of one."""
    height, width = picture.shape[:2]
    if rng.random() < 0.5:
        mask = _blob(rng, height, width, rng.uniform(0.2, 0.7))
    else:
        angle, offset = rng.uniform(0, 2 * np.pi), rng.uniform(-0.35, 0.35)
        y, x = np.mgrid[-0.5 : 0.5 : height * 1j, -0.5 : 0.5 : width * 1j]
        edge = rng.uniform(0.005, 0.15)
        distance = np.cos(angle) * x + np.sin(angle) * y - offset
        mask = np.clip(distance / edge + 0.5, 0, 1).astype(np.float32)
    return picture * (1 - mask * rng.uniform(0.15, 0.6))[..., None]


def colour(picture: Picture, rng: Rng, severity: float = 1.0) -> Picture:
    """White balance, exposure, gamma and saturation of a camera left to itself."""
    gains = np.float32(np.exp(rng.normal(0, 0.07 * severity, 3)))
    if rng.random() < 0.2 * severity:  # tungsten or fluorescent light, uncorrected
        gains *= np.float32([rng.uniform(0.55, 1), rng.uniform(0.85, 1), 1])
    exposure = float(np.exp(rng.normal(-0.05, 0.28 * severity)))
    if rng.random() < 0.07 * severity:  # a room at night
        exposure *= rng.uniform(0.2, 0.55)
    picture = np.clip(picture * gains * exposure, 0, 255)
    gamma = float(np.exp(rng.normal(0, 0.18 * severity)))
    table = (np.linspace(0, 1, 256) ** gamma * 255).astype(np.float32)
    picture = table[picture.astype(np.uint8)]
    grey = cv2.transform(picture, np.full((1, 3), 1 / 3, np.float32))[..., None]
    saturation = rng.uniform(0.0, 0.4) if rng.random() < 0.06 * severity else rng.uniform(0.6, 1.35)
    picture = grey + (picture - grey) * np.float32(saturation)
    if rng.random() < 0.25 * severity:  # weak contrast: haze, a dirty lens
        low, high = rng.uniform(0, 60), rng.uniform(170, 255)
        picture = low + picture * ((high - low) / 255)
    return picture


def blur(picture: Picture, rng: Rng, strength: float) -> Picture:
    """Defocus or motion; `strength` is the largest sigma, pixels."""
    if rng.random() < 0.7:
        sigma = strength * rng.uniform(0.05, 1) ** 1.5
        return cv2.GaussianBlur(picture, (0, 0), max(0.25, sigma))
    length = max(1.0, strength * 2.5 * rng.uniform(0.2, 1))
    size = int(length) * 2 + 1
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    reach = (np.cos(angle) * length / 2, np.sin(angle) * length / 2)
    middle = size // 2
    ends = [(round(middle + s * reach[0]), round(middle + s * reach[1])) for s in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1)
    return cv2.filter2D(picture, -1, kernel / max(kernel.sum(), 1e-6))


def sensor(picture: Picture, rng: Rng, severity: float = 1.0) -> Image:
    """Noise, the camera's own sharpening, and compression."""
    if rng.random() < 0.3:
        soft = cv2.GaussianBlur(picture, (0, 0), 1.0)
        picture = picture + (picture - soft) * np.float32(rng.uniform(0.3, 1.8))
    sigma = rng.uniform(0.3, 4) if rng.random() < 0.75 else rng.uniform(4, 14)
    sigma *= severity
    noise = rng.standard_normal(picture.shape, np.float32) * np.float32(sigma)
    if rng.random() < 0.5:  # denoised cameras leave coarse, coloured grain
        noise = cv2.GaussianBlur(noise, (0, 0), 0.8) * 1.6
    image = np.clip(picture + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.8:
        quality = int(rng.integers(round(95 - 70 * severity), 96))
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        image = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return image


def photograph(picture: Picture, rng: Rng, softness: float, severity: float = 1.0) -> Image:
    """The whole way from a clean composite to what a camera hands over.

    `softness` is the largest blur, pixels of this picture; `severity` from 0 to 1 says how bad light,
    lens and camera may be: 1 is the worst that is still worth learning.
    """
    picture = light(picture, rng)
    if rng.random() < 0.35 * severity:
        picture = shadow(picture, rng)
    if rng.random() < 0.3 * severity:
        picture = glare(np.clip(picture, 0, 255), rng)
    picture = colour(np.clip(picture, 0, 255), rng, severity)
    if rng.random() < 0.8:
        picture = blur(picture, rng, softness * severity)
    return sensor(picture, rng, severity)
