"""Labels that agree in part."""

import numpy as np


def noisy_labels(n: int, annotators: int, seed: int = 3) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n)
    columns = [np.where(rng.random(n) < 0.7, truth, rng.choice(3, n)) for _ in range(annotators)]
    return np.stack(columns, axis=1).tolist()
