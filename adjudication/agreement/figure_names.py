"""Which figures for papers a criterion of a finished run has, and what they are called.

None is stored: each is drawn from the stored results when somebody downloads it (`figures`).
"""

from typing import Any

from adjudication.labels.staleness import Standing
from adjudication.models import AgreementRun
from engines.stats.statistics import statistic

PAIRED = ("accuracy", "cohen_kappa", "cohen_kappa_quadratic")  # forest plot and matrix of each
ALPHAS = ("alpha_ordinal", "alpha_nominal")  # of the heat maps: the first that the scale allows
PANELS = 9  # confusion matrices on one figure
MOST_PANELS = 90
FOREST, MATRIX, CONFUSION, TOPICS = "forest", "matrix", "confusion", "topics"


def figure_names(run: AgreementRun, criterion: str) -> dict[str, str]:
    """{name: what it shows} of the figures in their order; a name is kind_statistic, or confusion_page."""
    detail = run.detail[criterion]
    pairs = run.results.filter(criterion=criterion, scope="pair", statistic__in=PAIRED)
    paired = set(pairs.values_list("statistic", flat=True).distinct())
    labels = {name: statistic(name).label for name in (*PAIRED, *ALPHAS)}
    found = {}
    for name in PAIRED:
        if name in paired:
            found[f"{FOREST}_{name}"] = f"Forest plot: {labels[name]}"
            found[f"{MATRIX}_{name}"] = f"Matrix of pairs: {labels[name]}"
    pages = -(-min(len(detail["tables"]), MOST_PANELS) // PANELS)
    for page in range(1, pages + 1):
        found[f"{CONFUSION}_{page}"] = f"Confusion matrices {page}" if pages > 1 else "Confusion matrices"
    return found | {f"{TOPICS}_{name}": f"Heat map of topics: {labels[name]}" for name in heat_maps(detail)}


def why_out_of_date(standing: Standing[AgreementRun]) -> str:
    """Why no figure of the run is drawn now: a picture cannot say what has changed since. "" where nothing has."""
    since = standing.since or standing.verdicts_since
    return f"The agreement was computed before {since}. Compute it again to draw its figures." if since else ""


def heat_maps(detail: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """{statistic: its topics, the lowest first} where two topics or more have it and one of them has a value."""
    topics = detail.get("topics_people", detail["topics"])
    offered = {name for row in topics for name in (*row["values"], *row["reasons"])}
    alpha = next((name for name in ALPHAS if name in offered), "accuracy")
    found = {}
    for name in dict.fromkeys(("accuracy", alpha)):
        rows = [row for row in topics if name in row["values"] or name in row["reasons"]]
        if len(rows) > 1 and any(name in row["values"] for row in rows):
            found[name] = sorted(rows, key=lambda row: row["values"].get(name, 2.0))
    return found
