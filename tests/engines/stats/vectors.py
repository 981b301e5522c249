"""Reference vectors: how each metric of vectors.json is computed with this package."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from engines.stats import dawid_skene
from engines.stats.blocks import plan
from engines.stats.bootstrap import make_rng, resample
from engines.stats.coincidence import gwet
from engines.stats.evaluation import score
from engines.stats.figures import pair_figure
from engines.stats.intervals import Request, Sample, acceleration, make_interval, p_value
from engines.stats.labels import Annotator, Kind, Labels, make_labels
from engines.stats.measures import parse_measure
from engines.stats.pair_analysis import analyse_pairs
from engines.stats.pairwise import confusion, tabulate
from engines.stats.rankings import make_gold, match, rank
from engines.stats.report import Options, measure_agreement
from engines.stats.results import Estimate
from engines.stats.significance import TestResult, holm, paired_t_test, randomisation_test
from engines.stats.statistics import statistic
from engines.stats.votes import vote
from tests.engines.stats.examples import encode, group_figure, standard_error_of_mean
from tests.shared import SHARED

Vector = dict[str, Any]
FILE = SHARED / "data" / "agreement" / "vectors.json"
SEED = 20240
LINEAR_AC2 = replace(statistic("gwet_ac2"), name="gwet_ac2_linear", group=partial(gwet, power=1))  # not offered


def load() -> list[Vector]:
    return json.loads(FILE.read_text(encoding="utf-8"))["vectors"] if FILE.exists() else []


def name_of(metric: str, params: dict[str, Any]) -> str:
    """The package's name of a two-annotator or group metric of the vectors."""
    weights = params.get("weights")
    return {
        "percent_agreement": "accuracy",
        "cohen_kappa": f"cohen_kappa_{weights}" if weights else "cohen_kappa",
        "krippendorff_alpha": f"alpha_{params.get('level')}",
        "gwet_ac": {None: "gwet_ac1", "linear": "gwet_ac2_linear", "quadratic": "gwet_ac2"}[weights],
    }.get(metric, metric)


def rows_of(data: dict[str, Any]) -> list[list[Any]]:
    if "matrix" in data:
        return data["matrix"]
    return [pattern for pattern, count in data["cells"] for _ in range(count)]


def positions_of(data: dict[str, Any]) -> np.ndarray:
    coded = encode(rows_of(data), data["scale"])
    return coded if coded.shape[1] else coded.reshape(0, 2)


def labels_of(data: dict[str, Any]) -> Labels:
    names = data.get("annotators") or [f"a{index}" for index in range(positions_of(data).shape[1])]
    people = [
        Annotator(name, Kind.MACHINE, "model", name) if name.startswith("G") else Annotator(name) for name in names
    ]
    return make_labels(positions_of(data), data["scale"], people, topics=data.get("clusters"))


def two_annotators(vector: Vector) -> Estimate:
    data = positions_of(vector["data"])
    name = name_of(vector["metric"], vector["params"])
    return pair_figure(data[:, 0], data[:, 1], len(vector["data"]["scale"]), name)


def several_annotators(vector: Vector) -> Estimate:
    name = name_of(vector["metric"], vector["params"])
    which = LINEAR_AC2 if name == LINEAR_AC2.name else name
    return group_figure(positions_of(vector["data"]), len(vector["data"]["scale"]), which)


def table(vector: Vector) -> Any:
    data = positions_of(vector["data"])
    found = confusion(tabulate(data[:, 0], data[:, 1], len(vector["data"]["scale"])))
    return found.counts if vector["metric"] == "confusion_matrix" else found.class_agreement


def blocks(vector: Vector) -> dict[str, float | None]:
    params = vector["params"]
    name = name_of(params["metric"], params)
    options = Options(
        SEED, (name,), resamples=1000, pairs=False, common_items_only=params.get("common_items_only", True)
    )
    found = measure_agreement(labels_of(vector["data"]), options)
    return {
        "HH-GH": found.comparisons[0].difference.value,
        **{block: found.find(name, "block", block).estimate.value for block in ("HH", "GH", "GG")},
    }


def policy_of(params: dict[str, Any]) -> str:
    """The package's policy under the name that the vectors give it."""
    name = params["policy"]
    return {"unresolved": "adjudicate", "lower": "lowest", "higher": "highest"}.get(name, name)


def adjudicated(vector: Vector) -> list[int | None]:
    params = vector["params"]
    found = vote(
        positions_of(vector["data"]),
        len(vector["data"]["scale"]),
        policy=policy_of(params),
        weights=params.get("weights"),
        min_votes=params.get("min_votes", 1),
        expert=params.get("expert"),
    )
    return [None if label < 0 else int(label) for label in found.labels]


def machine_against_adjudicated(vector: Vector) -> dict[str, float | None]:
    data, params = positions_of(vector["data"]), vector["params"]
    levels = len(vector["data"]["scale"])
    verdict = vote(data[:, params["humans"]], levels, policy=policy_of(params), min_votes=1).labels
    people = [Annotator(f"H{index}") for index in params["humans"]]
    runs = [Annotator(f"G{index}", Kind.MACHINE, "model", str(index)) for index in params["machine_runs"]]
    labels = make_labels(data, vector["data"]["scale"], people + runs, adjudicated=verdict)
    found = measure_agreement(labels, Options(SEED, ("accuracy", "macro_f1", "spearman"), resamples=1000))
    values = {name: found.find(name, "block", "GA").estimate for name in ("accuracy", "macro_f1", "spearman")}
    return {
        "items": values["accuracy"].n_items,
        "percent_agreement": values["accuracy"].value,
        "macro_f1": values["macro_f1"].value,
        "spearman": values["spearman"].value,
    }


def truth_model(vector: Vector) -> dict[str, Any]:
    data = vector["data"]
    smoothing = vector["params"]["smoothing"]
    if "triples" in data:
        triples = np.array(data["triples"])
        level = {name: index for index, name in enumerate(data["scale"])}
        counts = np.zeros((triples[:, 0].max(), triples[:, 1].max(), len(level)), dtype=np.int64)
        for item, annotator, label in triples.tolist():
            counts[item - 1, annotator - 1, level[label]] += 1
        found = dawid_skene.fit_counts(counts, smoothing=smoothing)
    else:
        found = dawid_skene.fit(positions_of(data), len(data["scale"]), smoothing=smoothing)
    values = {"prior": found.prior.tolist(), "loglik": found.log_likelihood}
    values["labels_where_posterior_above_0.6"] = [None if label < 0 else int(label) for label in found.labels]
    values |= {f"error_annotator_{index + 1}": errors.tolist() for index, errors in enumerate(found.errors)}
    return {name: values[name] for name in vector["expected"]}


def sample_of(vector: Vector, resamples: int) -> Sample:
    """The resampled statistic of a bootstrap vector: a block, or the two annotators alone."""
    params, labels = vector["params"], labels_of(vector["data"])
    block = params.get("block", "mean")
    name = name_of(params["metric"], params)
    whole = plan(labels, with_pairs=False, compared=tuple(labels.models()))
    row = next(row for row in whole.rows if (row.block or row.scope) == block)
    clusters = labels.topics if params.get("unit") == "query" else None
    names = tuple(annotator.name for annotator in labels.annotators)
    part = type(whole)(whole.matrix, whole.levels, (), whole.pairs, (row,))
    analysis = analyse_pairs(part, names, clusters, min_common=1)
    targets = analysis.targets([name])
    measured = next(
        analysis.measure(
            targets,
            lambda design, statistic: resample(design, statistic, resamples=resamples, rng=make_rng(SEED)),
        )
    )
    assert measured.sample is not None
    return measured.sample


def interval_ends(vector: Vector) -> dict[str, Any]:
    params = vector["params"]
    sample = sample_of(vector, params["B"])
    unit = "topic" if params["unit"] == "query" else "item"
    found: dict[str, Any] = {"estimate": sample.point}
    for method in ("percentile", "bca"):
        request = Request(method, unit, params["level"], params["B"], SEED)
        outcome = make_interval(sample, request)
        assert outcome.ci is not None
        assert outcome.se is not None
        found[f"{method}_ci"] = [outcome.ci.low, outcome.ci.high]
        if method == "percentile":
            found["se"] = outcome.se
            found["p_value"] = p_value(sample, outcome.ci, outcome.se)
    found["acceleration"] = acceleration(sample.left_out, sample.multiplicity)
    return {name: found[name] for name in vector["expected"]}


def distribution(vector: Vector) -> dict[str, float]:
    sample = sample_of(vector, 200_000)
    defined = sample.replicates[np.isfinite(sample.replicates)]
    return {
        "mean": float(defined.mean()),
        "se": float(defined.std()),
        "p_undefined": 1 - len(defined) / len(sample.replicates),
        "p_le_point_estimate": float((defined <= sample.point + 1e-12).mean()),
    }


def ranked(vector: Vector) -> float | None:
    data, metric = vector["data"], vector["metric"]
    name = {
        "average_precision": "AP",
        "r_precision": "Rprec",
        "recall@5": "R@5",
        "recall@20": "R@20",
        "doris_ndcg_exp_10pct": "nDCG_exp@10%",
        "doris_mrr@10": "DORIS_RR@10",
    }.get(metric, metric)
    gold = make_gold({"q": data["grades"]}, relevance=data["aspects"])
    return score(match([rank("q", data["run"])], gold), gold, [parse_measure(name)]).column(parse_measure(name).name)[0]


def test_of_runs(vector: Vector) -> TestResult:
    first, second = vector["data"]["a"], vector["data"]["b"]
    if vector["metric"] == "paired_t_test":
        return paired_t_test(first, second)
    return randomisation_test(first, second, rng=make_rng(SEED))


COMPUTE: dict[str, Callable[[Vector], Any]] = {
    "percent_agreement": two_annotators,
    "cohen_kappa": two_annotators,
    "macro_f1": two_annotators,
    "spearman": two_annotators,
    "kendall_tau_b": two_annotators,
    "confusion_matrix": table,
    "per_class_agreement": table,
    "krippendorff_alpha": several_annotators,
    "fleiss_kappa": several_annotators,
    "gwet_ac": several_annotators,
    "mean_pairwise": blocks,
    "adjudicate": adjudicated,
    "machine_vs_adjudicated": machine_against_adjudicated,
    "dawid_skene": truth_model,
    "bootstrap_ci": interval_ends,
    "bootstrap_distribution": distribution,
    "average_precision": ranked,
    "r_precision": ranked,
    "recall@5": ranked,
    "recall@20": ranked,
    "rr@10": ranked,
    "ndcg@10": ranked,
    "doris_ndcg_exp_10pct": ranked,
    "doris_mrr@10": ranked,
    "paired_t_test": test_of_runs,
    "randomisation_test": test_of_runs,
    "holm": lambda vector: holm(vector["data"]["p"]),
    "bootstrap_se_of_mean": lambda vector: standard_error_of_mean(vector["data"]["a"]),
}
