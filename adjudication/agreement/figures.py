"""Which figures a finished criterion gets, and what is on them."""

from collections.abc import Iterator
from typing import Any

from accounts.counting import share_in_percent
from adjudication.agreement.drawings import (
    Drawing,
    DrawnLine,
    Panel,
    Tile,
    draw_confusions,
    draw_forest,
    draw_heat,
    draw_matrix,
)
from adjudication.agreement.results import AGAINST
from annotation.models import AnnotatorKind
from engines.stats.blocks import ADJUDICATED
from engines.stats.reasons import Flag, words_of
from engines.stats.report import Agreement, Result
from engines.stats.statistics import statistic as record_of

PAIRED = ("accuracy", "cohen_kappa", "cohen_kappa_quadratic")  # forest plot and matrix of each
ALPHAS = ("alpha_ordinal", "alpha_nominal")  # of the heat maps: the first that the scale allows
MOST_LINES = 60  # pairs in a forest plot, annotators in a matrix: more cannot be read
MOST_COLUMNS = 20
PANELS = 9  # confusion matrices on one figure
MOST_PANELS = 90
MOST_TOPICS = 160
VERDICTS = {Flag.LEAVE_ONE_OUT: "others’ vote", Flag.PART_WHOLE: "verdict, its own part"}
Named = tuple[str, Drawing]


def draw_figures(agreement: Agreement, detail: dict[str, Any]) -> Iterator[Named]:
    """(name, files) of every figure: forest and matrix of some statistics, confusion matrices, heat maps."""
    for statistic in PAIRED:
        pairs = [one for one in agreement.results if one.statistic == statistic and one.scope == "pair"]
        if pairs:
            heading = f"{record_of(statistic).label}, {share_in_percent(agreement.level)} intervals"
            yield f"forest_{statistic}", draw_forest(_lines(pairs), heading)
            yield f"matrix_{statistic}", _matrix(pairs, statistic, detail["annotators"])
    yield from _confusions(detail)
    yield from _heat_maps(detail)


def _lines(pairs: list[Result]) -> list[DrawnLine]:
    """Highest first, undefined last; of very many pairs, the lowest and the undefined ones."""
    lines = [_line(one) for one in pairs]
    lines.sort(key=lambda line: (line.value is None, -(line.value or 0), line.label))
    return lines[-MOST_LINES:]


def _line(result: Result) -> DrawnLine:
    found, ci = result.estimate, result.estimate.ci
    verdict = next((VERDICTS[flag] for flag in found.flags if flag in VERDICTS), "verdict")
    label = " × ".join(verdict if name == ADJUDICATED else name for name in result.annotators)
    if found.value is None:
        return DrawnLine(label, None, why=words_of(found.reason))
    return DrawnLine(label, found.value, ci.low if ci else None, ci.high if ci else None)


def _matrix(pairs: list[Result], statistic: str, people: list[dict[str, Any]]) -> Drawing:
    by_pair = {frozenset(one.annotators): one for one in pairs}
    names = [one["name"] for one in people][:MOST_COLUMNS]
    if any(ADJUDICATED in pair for pair in by_pair):
        names.append(ADJUDICATED)
    rows, columns = names[1:], names[:-1]
    tiles = [
        [
            _pair_tile(by_pair.get(frozenset((row, column)))) if place <= below else None
            for place, column in enumerate(columns)
        ]
        for below, row in enumerate(rows)
    ]
    labels = ["verdict" if name == ADJUDICATED else name for name in rows]
    return draw_matrix(labels, columns, tiles, record_of(statistic).label)


def _pair_tile(result: Result | None) -> Tile | None:
    if result is None:
        return None
    found, ci = result.estimate, result.estimate.ci
    if found.value is None:
        return Tile(None, "undefined", str(found.reason).replace("_", " "))
    text = record_of(result.statistic).text
    small = f"{text(ci.low)} to {text(ci.high)}" if ci else "no interval"
    against = "".join(f"\n{words}" for flag, words in AGAINST.items() if flag in found.flags)
    return Tile(found.value, text(found.value), f"{small}, n {found.n_items:,}{against}")


def _confusions(detail: dict[str, Any]) -> Iterator[Named]:
    people, levels = detail["annotators"], [str(value) for value, _ in detail["scale"]]
    panels = []
    for table in detail["tables"][:MOST_PANELS]:
        first, second = (people[place]["name"] if place >= 0 else "verdict" for place in table["pair"])
        flagged = f"{second} ({AGAINST['part_whole']})" if "part_whole" in table.get("flags", ()) else second
        panels.append(Panel(first, flagged, table["counts"]))
    for page, low in enumerate(range(0, len(panels), PANELS), start=1):
        yield f"confusion_{page}", draw_confusions(panels[low : low + PANELS], levels)


def _heat_maps(detail: dict[str, Any]) -> Iterator[Named]:
    topics = detail.get("topics_people", detail["topics"])
    offered = {name for row in topics for name in (*row["values"], *row["reasons"])}
    alpha = next((name for name in ALPHAS if name in offered), "accuracy")
    for statistic in dict.fromkeys(("accuracy", alpha)):
        rows = [row for row in topics if statistic in row["values"] or statistic in row["reasons"]]
        if len(rows) < 2 or not any(statistic in row["values"] for row in rows):
            continue
        rows.sort(key=lambda row: row["values"].get(statistic, 2.0))
        title = f"{record_of(statistic).label} by topic over {_whose(detail)}, the lowest first"
        tiles = [(row["number"], _topic_tile(row, statistic)) for row in rows[:MOST_TOPICS]]
        yield f"topics_{statistic}", draw_heat(tiles, title)


def _whose(detail: dict[str, Any]) -> str:
    if "topics_people" in detail:
        return "all people"
    machines = any(one["kind"] == AnnotatorKind.MACHINE for one in detail["annotators"])
    return "all annotators, machines included" if machines else "all annotators"


def _topic_tile(row: dict[str, Any], statistic: str) -> Tile:
    value = row["values"].get(statistic)
    if value is None:
        return Tile(None, "undefined: one level" if row["reasons"][statistic] == "one_class_only" else "undefined")
    return Tile(value, f"{record_of(statistic).text(value)}, n {row['n_items']:,}")
