"""What happened, in sentences: the RAI terms of Croissant, the cards and the appendix share them.

A sentence stands here only where a stored fact supports it. What is not known is left out, or said not to be known.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from accounts.counting import counted
from adjudication.agreement.method import rules_text
from adjudication.releases.campaigns import CampaignFacts
from adjudication.releases.facts import Facts, platform
from adjudication.releases.origin_sentences import author_call_sentence, question_run_sentence, run_sentence
from adjudication.releases.statement import NOT_STATED
from annotation.kind import Judged
from annotation.models import Criterion
from engines.definitions.rubric_options import read_rubric_options

MOST = 12  # of a list in a sentence
APART = "\n\n"  # between campaigns where people read: a paragraph each
DIGITS = 12  # of a hash in a sentence


def stated(facts: Facts, key: str, *measured: str) -> str:
    """What people stated under this question, followed by what was measured."""
    return " ".join([facts.answers.get(key, NOT_STATED), *filter(None, measured)])


def some(found: list[str]) -> str:
    """The first few of a list, and how many more there are."""
    more = len(found) - MOST
    return ", ".join(found[:MOST]) + (f" and {more:,} more" if more > 0 else "")


def holds(facts: Facts) -> str:
    """What the release holds, counted in its files."""
    parts = [counted(facts.documents, "document")]
    parts += [counted(facts.topics, "topic")] if facts.topics else []
    parts += [counted(facts.pooled, "pooled pair")] if facts.pooled else []
    sets = [
        f"{gold.name} ({counted(queries, 'query', 'queries')}, {counted(pairs, f'{gold.pairs} pair')})"
        for gold in facts.recipe.judged_sets
        if (queries := facts.rows.get(f"data/{gold.name}/queries.parquet"))
        and (pairs := facts.rows.get(f"data/{gold.name}/qrels.parquet"))
    ]
    return ", ".join(parts) + (f". Query sets: {', '.join(sets)}." if sets else ".")


def protocol(facts: Facts, between: str = " ") -> str:
    """How labels were given: task, criteria, levels, overlap, order, guideline."""
    found = [_protocol(one) for one in facts.campaigns]
    if facts.extractions:
        found.append(f"Citation contexts of papers: {', '.join(facts.extractions)}.")
    return between.join(found)


def _protocol(one: CampaignFacts) -> str:
    campaign = one.campaign
    parts = [f"Campaign “{campaign.name}” ({campaign.kind}, {campaign.get_split_display()})."]
    if criteria := list(campaign.criteria.all()):
        parts.append(f"Criteria: {', '.join(map(_scale, criteria))}.")
    parts += [*_kept(one), *_assigned(one), *_guidelines(one)]
    if conditions := label_conditions(one):
        parts.append(conditions)
    return " ".join(parts)


def _scale(criterion: Criterion) -> str:
    """The criterion with its levels."""
    return f"{criterion.label} ({'; '.join(map(str, criterion.levels.all()))})"


def _kept(one: CampaignFacts) -> Iterator[str]:
    """Of campaigns that rate questions: from which value on one is kept, and which ones are too easy to be rated."""
    if one.campaign.kind_object.judges == Judged.QUESTIONS:
        options = read_rubric_options(one.campaign.options)
        names = {each.key: each.label for each in one.campaign.criteria.all()}
        if options.keep in names:
            yield f"A question is kept where “{names[options.keep]}” is {options.keep_from} or more."
        imported = "" if options.filter_imported else " The cut-offs do not apply to questions that were imported."
        rule = f"{options.overlap_rule}{imported if options.cutoffs else ''}"
        yield f"Setting for questions that are left out of rating: {rule}"


def _assigned(one: CampaignFacts) -> Iterator[str]:
    """How work was given out: of campaigns in which nobody judged here, nothing is known of it."""
    campaign, (noun, _) = one.campaign, one.nouns
    if not one.judged_here:
        return
    ordered = campaign.kind_object.has_orders and one.by_aspect
    order = f", in the order “{campaign.get_order_display()}”" if ordered else ""
    verb = "annotated" if campaign.kind_object.no_criteria else "judged"
    yield (
        f"Each {noun} was to be {verb} in Litmus by {counted(campaign.overlap, 'person', 'people')},"
        f" {campaign.get_strategy_display()}{order}."
    )


def _guidelines(one: CampaignFacts) -> Iterator[str]:
    """The versions of the guideline that were shown to somebody, or that answers name."""
    if one.guidelines:
        shown = ", ".join(
            f"version {version}" + f" ({counted(answers, 'answer')} given under it)" * bool(answers)
            for version, answers in one.guidelines.items()
        )
        yield f"Guideline: {shown}."


def label_conditions(one: CampaignFacts) -> str:
    """What is known about how labels were given: of imported ones, nothing."""
    found = []
    if one.labels > one.imported:
        found.append("Litmus did not show those who judged the labels of others.")
        if one.campaign.kind_object.judges == Judged.DOCUMENTS:
            found.append("The labelling screen did not say which method had brought a document in.")
    if one.imported:
        found.append(
            f"Imported from files: {counted(one.imported, 'label')}; how they were given is not known to Litmus."
        )
    if one.finished:
        found.append(
            f"Finished in Litmus: {counted(one.finished, *one.nouns)}, by {counted(one.people, 'person', 'people')}."
        )
    if not (one.labels or one.machine_labels or one.finished):
        found.append("Nothing has been judged in it.")
    return " ".join(found)


def analysis(facts: Facts, between: str = " ") -> str:
    """Agreement, votes and decisions of the campaigns that have labels; "" where none has."""
    found = [_analysis(one) for one in facts.campaigns if one.labels or one.machine_labels]
    return facts.people.without_names(between.join(found))


def _analysis(one: CampaignFacts) -> str:
    found = [f"Campaign “{one.campaign.name}”:", *(one.agreement or [_no_agreement(one)])]
    if one.decisions:
        found.append(f"Values: {', '.join(f'{n:,} {how}' for how, n in one.decisions.items())}.")
    if one.votes is not None:
        since = f", before {one.votes_since}" if one.votes_since else ""
        found.append(f"Votes were counted by {rules_text(one.votes)}{since}.")
    return " ".join(found)


def _no_agreement(one: CampaignFacts) -> str:
    if one.agreement_since:
        return f"Agreement is not printed: it was computed before {one.agreement_since}."
    return "Agreement was not computed."


def per_item(facts: Facts, between: str = " ") -> str:
    """How many labels an item has."""
    return between.join(_per_item(one) for one in facts.campaigns if one.items)


def _per_item(one: CampaignFacts) -> str:
    lead = f"Campaign “{one.campaign.name}”: {counted(one.items, *one.nouns)}"
    criteria = one.campaign.criteria.count()
    if not criteria:
        return f"{lead}, {one.finished:,} finished."
    if not one.labels:
        return f"{lead}, no label of a person."
    each = "for each item and criterion" if criteria > 1 else "for each item"
    return (
        f"{lead}, {counted(one.labels, 'label')} of {counted(one.people, 'annotator')},"
        f" on average {one.labels / one.items / criteria:.2f} {each}. {one.sample}"
    ).rstrip()


def by_machines(facts: Facts, between: str = " ") -> str:
    """What machines did: labels, questions that models wrote, orders that models gave; "" for nothing."""
    wrote = f"Language models wrote {counted(facts.generated, 'topic')}: see the question runs."
    asked = [f"Run “{run['name']}” was ordered by a language model." for run in facts.runs if run.get("prompt")]
    found = [machines(facts, between), wrote if facts.generated else "", facts.people.without_names(" ".join(asked))]
    return between.join(filter(None, found))


def machines(facts: Facts, between: str = " ") -> str:
    """Which machines labelled, and how they were tested; "" where none did."""
    found = [
        f"Campaign “{one.campaign.name}”: {some(list(one.machines))} ({counted(one.machine_labels, 'label')})."
        for one in facts.campaigns
        if one.machines
    ]
    if facts.rows.get("machines.json", 0) is None:  # the file is there, and has no rows
        found.append("Their recipes with hashes, and the prompts of those that had one, are in machines.json.")
    for cycle in facts.cycles:
        if cycle.is_frozen:
            text = f"Anno-GPT cycle {cycle.number} ({cycle.criterion}, margin {cycle.margin:g}): {cycle.words}."
            found.append(text + (f" Reason: {cycle.reason}" if cycle.is_override else ""))
    return facts.people.without_names(between.join(found))


def questions(facts: Facts, between: str = " ") -> str:
    """What models and authors were asked for questions, and how many annotators reworded; "" for nothing of it."""
    asked = facts.people.without_names(between.join(map(author_call_sentence, facts.author_calls)))
    n, have = counted(facts.rewritten, "kept question"), "has" if facts.rewritten == 1 else "have"
    reworded = f"{n} {have} a confirmed wording of an annotator; lines.jsonl has the original." * bool(facts.rewritten)
    return between.join(filter(None, [written_by_models(facts, between), asked, reworded]))


def written_by_models(facts: Facts, between: str = " ") -> str:
    """What language models were asked for questions; "" where none was."""
    return facts.people.without_names(between.join(map(question_run_sentence, facts.question_runs)))


def runs(facts: Facts, between: str = " ") -> str:
    """How each run was made, as far as that is known; "" without runs."""
    return facts.people.without_names(between.join(map(run_sentence, facts.runs)))


def synthetic(facts: Facts) -> str:
    """Whether questions were written or labels made by machines."""
    found = []
    if facts.generated:
        verb = "was" if facts.generated == 1 else "were"
        found.append(f"{counted(facts.generated, 'topic')} {verb} written by a language model from citing paragraphs.")
    if facts.has_machine_labels:
        found.append("Some labels are those of machines; each says so.")
    return " ".join(found)


def timeframe(facts: Facts) -> list[str]:
    """The days of the first and the last answer that people gave in Litmus; [] where nobody did: when imported data
    were collected is not known."""
    return _days(at for one in facts.campaigns if one.judged_here for at in (one.first, one.last))


def periods(facts: Facts) -> str:
    """From when to when files were imported, people answered and votes were counted, each where it happened."""
    imported = _days(run.finished_at for run in facts.imports)
    voted = _days(one.votes.finished_at for one in facts.campaigns if one.votes)
    found = (("Imports", imported), ("Answers of people in Litmus", timeframe(facts)), ("Counts of votes", voted))
    return " ".join(f"{what}: {_period(*days)}." for what, days in found if days)


def _days(times: Iterable[datetime | None]) -> list[str]:
    """The first and the last day; [] for no times."""
    known = [at for at in times if at]
    return [at.date().isoformat() for at in (min(known), max(known))] if known else []


def _period(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def missing(facts: Facts, between: str = " ") -> str:
    """What was not judged or decided, and why items were skipped; "" where nothing is known to be missing and no item
    was to get a value (papers that are annotated get none)."""
    found = []
    for one in facts.campaigns:
        if one.without_verdict > 0:
            found.append(f"Campaign “{one.campaign.name}”: {counted(one.without_verdict, 'value')} not decided.")
        if one.skipped:
            shown = some([f"{reason} ({n:,})" for reason, n in one.skipped.items()])
            found.append(f"Campaign “{one.campaign.name}”, skipped: {shown}.")
    reasons: dict[str, list[str]] = {}
    for path, reason in facts.recipe.left_out.items():
        reasons.setdefault(reason, []).append(path)
    found += [f"Left out: {', '.join(paths)}. {reason}" for reason, paths in reasons.items()]
    noted: dict[str, list[str]] = {}
    for path, facts_of in facts.recipe.notes.items():
        for fact in facts_of:
            noted.setdefault(fact, []).append(path)
    found += [f"{', '.join(paths)}: {fact}" for fact, paths in noted.items()]
    if not found and any(one.items and not one.campaign.kind_object.no_criteria for one in facts.campaigns):
        return "No item of a campaign lacks a value."
    return facts.people.without_names(between.join(found))


def pooled(facts: Facts) -> str:
    """How documents came before the judges; "" without pools."""
    if not facts.pooled:
        return ""
    methods = some([f"{name} ({n:,})" for name, n in facts.methods.items()])
    return f"Pools hold {counted(facts.pooled, 'pair')} of topic and document, brought in by {methods or 'no method'}."


def raw_data(facts: Facts, *, anonymous: bool, between: str = " ") -> str:
    """Which files came in, with the beginnings of their hashes; Croissant's `prov:wasDerivedFrom` has them whole."""
    found = []
    for run in facts.imports:
        files = [
            f"{'' if anonymous else facts.people.without_names(str(one.get('name', ''))) + ' '}"
            f"(sha256 {str(one.get('sha256', 'unknown'))[:DIGITS]}…)"
            for one in run.files
        ]
        found.append(f"Import of {run.label}: {some(files) or 'no file'}.")
    return between.join(found) or "Nothing in this release was imported from files."


def open_findings(facts: Facts) -> str:
    """What the check list found, and why the release was made anyway."""
    found = [str(one["text"]) for one in facts.findings if one["blocking"]]
    if not found:
        return ""
    text = f"When the release was frozen the check list found: {' '.join(found)}"
    return facts.people.without_names(f"{text} It was released anyway: {facts.release.force_reason}")


def limitations(facts: Facts) -> str:
    """What is known to be missing, as measured."""
    undecided = sum(one.without_verdict for one in facts.campaigns if one.without_verdict > 0)
    return " ".join(
        filter(None, [f"Not decided: {counted(undecided, 'value')}." if undecided else "", open_findings(facts)])
    )


def activities(facts: Facts) -> Iterable[dict[str, Any]]:
    """Imports, questions asked of models, campaigns and votes as PROV activities."""
    for run in facts.imports:
        yield _activity(f"Import of {run.label}", run.started_at, run.finished_at)
    for one in facts.question_runs:
        yield {
            "@type": "prov:Activity",
            "prov:label": f"Question run {one['number']}: the language model “{one['model']}”",
            "prov:startedAtTime": one["date"],
        }
    for campaign in facts.campaigns:
        name = campaign.campaign.name
        if campaign.judged_here:
            work = "Annotation" if campaign.campaign.kind_object.no_criteria else "Judging"
            yield _activity(f"{work} in campaign “{name}” in Litmus", campaign.first, campaign.last)
        if campaign.votes is not None:
            label = f"Count of the votes in campaign “{name}”"
            yield _activity(label, campaign.votes.started_at, campaign.votes.finished_at)
    yield {"@type": "prov:Activity", "prov:label": f"Release by {platform()}", "prov:endedAtTime": facts.date}


def _activity(label: str, started: Any, ended: Any) -> dict[str, Any]:
    times = {"prov:startedAtTime": started, "prov:endedAtTime": ended}
    return {
        "@type": "prov:Activity",
        "prov:label": label,
        **{name: at.date().isoformat() for name, at in times.items() if at},
    }
