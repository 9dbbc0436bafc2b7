"""Temperature scaling of the reader: one number that makes its probabilities mean what they say.

Guo et al., 2017, "On Calibration of Modern Neural Networks": the logits are divided by the temperature
that makes the labels of a held-out set likeliest. The order of cards never changes.
"""

from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar

from models.manifest import enter
from vision.labels import LABELS
from vision.reader import Reader, log_softmax
from vision.weights import Weights, load_weights

RANGE = (0.3, 5.0)
BATCH = 256


def negative_log_likelihood(logits: np.ndarray, labels: np.ndarray, temperature: float) -> float:
    """Mean negative log-likelihood of (n,) labels under (n, k) logits divided by the temperature."""
    log_probs = log_softmax(logits / temperature)
    return float(-log_probs[np.arange(len(labels)), labels].mean())


def best_temperature(logits: np.ndarray, labels: np.ndarray) -> float:
    """The temperature that makes the labels likeliest, within `RANGE`."""
    found = minimize_scalar(
        lambda t: negative_log_likelihood(logits, labels, float(t)), bounds=RANGE, method="bounded"
    )
    return float(found.x)


def calibrate(crops: Path, weights: Path) -> float:
    """Fit the temperature on `crops-*.npz` of a folder and write it into the weights' manifest."""
    kept = load_weights("reader", weights)
    raw = Reader(Weights(kept.model, kept.version, 1.0, kept.threshold))
    logits, labels = [], []
    for path in sorted(crops.glob("crops-*.npz")):
        shard = np.load(path)
        images = shard["images"]
        for start in range(0, len(images), BATCH):
            readings = raw.read_crops(list(images[start : start + BATCH]))
            logits.append(np.array([r.log_probs for r in readings], np.float32))
        labels.append(shard["labels"].astype(int))
    every = np.concatenate(logits)
    assert every.shape[1] == len(LABELS)
    temperature = best_temperature(every, np.concatenate(labels))
    enter("reader", weights, temperature, kept.threshold)
    return temperature
