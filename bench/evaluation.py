"""Evaluation of runs: all measures with intervals and tests of every pair, against looping ir-measures over the runs.

50 runs x 1,000 topics x depth 1,000, 100 judgments a topic, 10,000 resamples. ir-measures gets two of the runs, in this
process, and its time is multiplied; it computes the same shared measures, without intervals and tests.

    python -m bench.evaluation [--runs 50] [--topics 1000]
"""

import argparse
import json
import resource
import sys
import time

import ir_measures
import numpy as np

from engines.stats.bootstrap import make_rng
from engines.stats.evaluation import RunScores, compare_runs, mean_scores, score
from engines.stats.measures import parse_measure
from engines.stats.rankings import RankedList, make_gold, match

DEPTH, JUDGED, DOCUMENTS, SAMPLE = 1_000, 100, 3_000, 2
SHARED = (
    *("P@5", "P@10", "P@20", "R@5", "R@20", "R@100", "Rprec", "AP", "AP@10", "RR", "nDCG", "nDCG@5", "nDCG@10"),
    *("nDCG@20", "Success@5", "Judged@10", "Bpref", "SetP", "SetR", "SetF", "IPrec@0.1"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--topics", type=int, default=1_000)
    options = parser.parse_args()
    json.dump(measured(options.runs, options.topics), sys.stdout)


def measured(n_runs: int, n_topics: int) -> dict[str, object]:
    """Seconds and memory of scoring so many runs, and the ratio to looping ir-measures."""
    rng = np.random.default_rng(1)
    docnos = [f"doc{place}" for place in range(DOCUMENTS)]
    qrels = {
        f"q{topic}": {
            docnos[at]: int(grade)
            for at, grade in zip(
                rng.choice(DOCUMENTS, JUDGED, replace=False), rng.choice(4, JUDGED, p=[0.6, 0.2, 0.1, 0.1]), strict=True
            )
        }
        for topic in range(n_topics)
    }
    measures = [parse_measure(name) for name in SHARED]
    gold = make_gold(qrels)
    scored: dict[str, RunScores] = {}
    cpu, wall, theirs = 0.0, 0.0, 0.0
    for run in range(n_runs):
        rankings = [RankedList(topic, [docnos[at] for at in rng.permutation(DOCUMENTS)[:DEPTH]]) for topic in qrels]
        cpu_start, start = time.process_time(), time.perf_counter()
        scored[f"run{run}"] = score(match(rankings, gold), gold, measures)
        cpu, wall = cpu + time.process_time() - cpu_start, wall + time.perf_counter() - start
        if run < SAMPLE:
            theirs += _loop_ir_measures(qrels, rankings)
    scoring = cpu
    cpu_start, start = time.process_time(), time.perf_counter()
    mean_scores(scored, seed=1)
    compared = len(compare_runs(scored, rng=make_rng(1)))
    cpu, wall = cpu + time.process_time() - cpu_start, wall + time.perf_counter() - start
    looped = theirs * n_runs / min(SAMPLE, n_runs)
    return {
        "runs": n_runs,
        "topics": n_topics,
        "depth": DEPTH,
        "measures": len(SHARED),
        "comparisons": compared,
        "seconds": round(wall, 1),
        "cpu_seconds": round(cpu, 1),
        "scoring_cpu_seconds": round(scoring, 1),
        "ir_measures_cpu_seconds": round(looped, 1),
        "ratio_of_scoring": round(looped / scoring, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def _loop_ir_measures(qrels: dict[str, dict[str, int]], rankings: list[RankedList]) -> float:
    """CPU seconds of ir-measures for one run, from dictionaries as its users have them."""
    run = {ranking.topic: {docno: float(-place) for place, docno in enumerate(ranking.docnos)} for ranking in rankings}
    wanted = [ir_measures.parse_measure(name) for name in SHARED]
    start = time.process_time()
    ir_measures.calc_aggregate(wanted, qrels, run)
    return time.process_time() - start


if __name__ == "__main__":
    main()
