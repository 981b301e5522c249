"""Time and memory of the agreement statistics against their targets, and against a scikit-learn and SciPy loop.

Prints one JSON object. Times are the best of some repeats in this process; memory is the peak over the idle process,
in a separate process. The opponents run a few replicates and are extrapolated to B; the ratio (of CPU time) is what
to quote.

    python bench/agreement.py                      everything (a minute or two)
    python bench/agreement.py --quick              without the opponents and the 20-annotator case
"""

import argparse
import ctypes
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from engines.stats.labels import Annotator, Kind, Labels, make_labels
from engines.stats.report import TABLE_ONE, Options, measure_agreement
from engines.stats.votes import vote

SIZES = (250, 10_000, 165_144)
TARGETS = {
    "table_one_seconds_165144": 2.0,
    "table_one_megabytes_165144": 150.0,
    "all_seconds_165144": 4.0,
    "all_missing_seconds_165144": 4.0,
    "table_one_growth_165144_over_250": 6.0,
    "twenty_annotators_seconds": 60.0,
    "ratio_165144": 1000.0,
    "ratio_250": 200.0,
}


def people_and_runs() -> list[Annotator]:
    runs = [Annotator(f"G{run}", Kind.MACHINE, "model", str(run)) for run in (1, 2)]
    return [Annotator("H1"), Annotator("H2"), Annotator("H3"), *runs]


def five_annotators(n: int, missing: float = 0.0, topics: int | None = None, seed: int = 1) -> Labels:
    """Three people and two runs of a machine on a 0-2 scale, agreeing about as in DORIS-MAE's Table 1."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=n, p=[0.45, 0.4, 0.15])
    columns = []
    for _ in range(3):
        moved = np.clip(truth + rng.choice([-1, 0, 1], size=n, p=[0.14, 0.72, 0.14]), 0, 2)
        columns.append(np.where(rng.random(n) < 0.04, rng.integers(0, 3, n), moved))
    machine = np.clip(truth + rng.choice([-1, 0, 1], size=n, p=[0.13, 0.67, 0.2]), 0, 2)
    columns += [np.where(rng.random(n) < 0.03, rng.integers(0, 3, n), machine) for _ in range(2)]
    matrix = np.column_stack(columns)
    matrix[rng.random(matrix.shape) < missing] = -1
    ids = None if topics is None else rng.integers(0, topics, n)
    return make_labels(matrix, (0, 1, 2), people_and_runs(), topics=ids)


def twenty_annotators(n: int = 10_000, seed: int = 2) -> Labels:
    """Three of twenty people on each item: a sparse design with thousands of patterns."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=n, p=[0.45, 0.4, 0.15])
    matrix = np.full((n, 20), -1)
    for row in range(n):
        chosen = rng.choice(20, size=3, replace=False)
        matrix[row, chosen] = np.clip(truth[row] + rng.choice([-1, 0, 1], size=3, p=[0.14, 0.72, 0.14]), 0, 2)
    return make_labels(matrix, (0, 1, 2), [f"H{index}" for index in range(20)])


def table_one(labels: Labels, resamples: int, unit: str = "auto") -> Any:
    """Three metrics, HH + GH + GG, D and its p."""
    return measure_agreement(labels, Options(1, TABLE_ONE, resamples=resamples, pairs=False, unit=unit))


def everything(labels: Labels, resamples: int) -> Any:
    """All statistics for every pair, mean, block and group, with an adjudicated column."""
    return measure_agreement(labels, Options(1, resamples=resamples))


def adjudicated(labels: Labels) -> Labels:
    verdict = vote(labels.positions[:, :3], labels.levels, policy="median").labels
    return make_labels(labels.positions, labels.scale, labels.annotators, topics=labels.topics, adjudicated=verdict)


def best_of(action: Callable[[], Any], repeats: int) -> dict[str, float]:
    """Least wall and CPU seconds (all threads) of some repeats. Ratios use CPU time, which a busy machine spares."""
    wall, cpu = [], []
    for _ in range(repeats):
        gc.collect()
        start, start_cpu = time.perf_counter(), time.process_time()
        action()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - start_cpu)
    return {"seconds": min(wall), "cpu_seconds": min(cpu)}


def sklearn_loop(labels: Labels, replicates: int, seed: int = 3) -> float:
    """CPU seconds for one replicate of Table 1 by resampled indices, scikit-learn and SciPy."""
    from scipy.stats import spearmanr
    from sklearn.metrics import accuracy_score, f1_score

    rng = np.random.default_rng(seed)
    matrix = labels.positions
    pairs = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    start = time.process_time()
    for _ in range(replicates):
        drawn = matrix[rng.integers(0, len(matrix), len(matrix))]
        for a, b in pairs:
            f1_score(drawn[:, a], drawn[:, b], average="macro")
            accuracy_score(drawn[:, a], drawn[:, b])
            spearmanr(drawn[:, a], drawn[:, b])
    return (time.process_time() - start) / replicates


def scipy_bootstrap(labels: Labels, replicates: int, seed: int = 3) -> float:
    """CPU seconds for one replicate of Table 1's terms by scipy.stats.bootstrap, paired, one index row at a time."""
    from scipy.stats import bootstrap, spearmanr
    from sklearn.metrics import accuracy_score, f1_score

    matrix = labels.positions
    pairs = [(a, b) for a in range(5) for b in range(a + 1, 5)]

    def statistic(*columns: np.ndarray) -> float:
        total = 0.0
        for a, b in pairs:
            total += f1_score(columns[a], columns[b], average="macro")
            total += accuracy_score(columns[a], columns[b]) + spearmanr(columns[a], columns[b]).statistic
        return total

    start = time.process_time()
    bootstrap(
        tuple(matrix.T),
        statistic,
        paired=True,
        vectorized=False,
        n_resamples=replicates,
        batch=1,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return (time.process_time() - start) / replicates


def status(field: str) -> float:
    """A field of /proc/self/status in megabytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise LookupError(field)


def print_memory(case: str, resamples: int) -> None:
    """Peak over idle, in this process alone (--memory)."""
    labels = five_annotators(165_144, 0.3 if case == "missing" else 0.0)
    np.ones((64, 64)) @ np.ones((64, 64))  # thread pools awake
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what making the labels left behind must not hide what follows
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # reset the high-water mark
    idle = status("VmRSS")
    (table_one if case == "table_one" else everything)(labels, resamples)
    print(status("VmHWM") - idle)


def memory(case: str, resamples: int) -> float:
    command = [sys.executable, __file__, "--memory", case, "--resamples", str(resamples)]
    return round(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout), 1)


def ours(resamples: int, repeats: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for n in SIZES:
        plain, missing, clustered = (
            five_annotators(n),
            five_annotators(n, missing=0.3),
            five_annotators(n, topics=100),
        )
        found[str(n)] = {
            "table_one": best_of(partial(table_one, plain, resamples), repeats),
            "table_one_by_topic": best_of(partial(table_one, clustered, resamples), repeats),
            "all": best_of(partial(everything, plain, resamples), repeats),
            "all_with_adjudicated": best_of(partial(everything, adjudicated(plain), resamples), 1),
            "all_missing": best_of(partial(everything, missing, resamples), repeats),
            "all_by_topic": best_of(partial(everything, clustered, resamples), repeats),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--resamples", type=int, default=10_000, help="B (default 10,000)")
    parser.add_argument("--repeats", type=int, default=3, help="take the best of so many runs")
    parser.add_argument("--loop-replicates", type=int, default=3, help="replicates of the opponents at 165,144")
    parser.add_argument("--quick", action="store_true", help="leave out opponents and the 20-annotator case")
    parser.add_argument("--memory", choices=("table_one", "all", "missing"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory:
        print_memory(given.memory, given.resamples)
        return
    found: dict[str, Any] = {"resamples": given.resamples, "numpy": np.__version__, "cpus": os.cpu_count()}
    found["litmus"] = ours(given.resamples, given.repeats)
    found["megabytes_over_idle"] = {case: memory(case, given.resamples) for case in ("table_one", "all", "missing")}
    if not given.quick:
        found["twenty_annotators"] = best_of(lambda: everything(twenty_annotators(), given.resamples), 1)
        found["opponents"] = {}
        for n in (250, 165_144):
            replicates = given.loop_replicates if n > 250 else 40 * given.loop_replicates
            labels = five_annotators(n)
            own = found["litmus"][str(n)]["table_one"]["cpu_seconds"]
            loop = sklearn_loop(labels, replicates) * given.resamples
            drawn = scipy_bootstrap(labels, replicates) * given.resamples
            found["opponents"][str(n)] = {
                "sklearn_loop_cpu_seconds": loop,
                "scipy_bootstrap_cpu_seconds": drawn,
                "replicates_measured": replicates,
                "ratio_sklearn": loop / own,
                "ratio_scipy": drawn / own,
            }
    found["targets"] = judge(found)
    print(json.dumps(found, indent=2))


def judge(found: dict[str, Any]) -> dict[str, Any]:
    """Each target with what was measured and whether it holds."""
    large, small = found["litmus"]["165144"], found["litmus"]["250"]
    measured = {
        "table_one_seconds_165144": large["table_one"]["seconds"],
        "table_one_megabytes_165144": found["megabytes_over_idle"]["table_one"],
        "all_seconds_165144": large["all"]["seconds"],
        "all_missing_seconds_165144": large["all_missing"]["seconds"],
        "table_one_growth_165144_over_250": large["table_one"]["cpu_seconds"] / small["table_one"]["cpu_seconds"],
    }
    if "opponents" in found:
        measured["twenty_annotators_seconds"] = found["twenty_annotators"]["seconds"]
        measured["ratio_165144"] = found["opponents"]["165144"]["ratio_sklearn"]
        measured["ratio_250"] = found["opponents"]["250"]["ratio_sklearn"]
    return {
        name: {
            "target": TARGETS[name],
            "measured": round(value, 3),
            "met": bool(value >= TARGETS[name] if name.startswith("ratio") else value <= TARGETS[name]),
        }
        for name, value in measured.items()
    }


if __name__ == "__main__":
    main()
