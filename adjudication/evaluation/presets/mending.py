"""Where what an evaluation of citation contexts lacks is made: their topics, or a run that ranks for all of them."""

from accounts.refusals import Remedy
from adjudication.evaluation.golds.registry import parse_selector
from adjudication.evaluation.golds.targets import LEVELS, Contexts
from adjudication.evaluation.presets.registry import PRESETS
from adjudication.evaluation.spec import EvaluationSpec
from corpus.models import Collection, Ranking


def what_mends(collection: Collection, spec: EvaluationSpec) -> Remedy | None:
    """The page where topics of a level of its golds are made; else, where none of its runs ranks for them, a run."""
    preset = PRESETS.get(spec.preset or "")
    golds = [gold for each in (preset.asked(spec) if preset else [spec]) for gold in each.golds]
    asked = [parse_selector(gold) for gold in golds if gold.startswith(f"{Contexts.name}:")]
    kinds = [LEVELS[each.name] for each in asked if each.name in LEVELS]
    if any(not collection.topics.filter(kind=kind).exists() for kind in kinds):
        return Remedy("Make topics", "context_report", (collection.slug,), after="#topics")
    ranked = Ranking.objects.filter(run__collection=collection, run__name__in=spec.runs)
    if any(not ranked.filter(topic__kind=kind).exists() for kind in kinds):
        return Remedy("Make a run over all topics", "run_create", (collection.slug,))
    return None
