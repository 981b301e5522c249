"""Findings about an export, read before its first byte: those that exports of campaigns share."""

from typing import Any
from urllib.parse import urlencode

from accounts.doors import where
from accounts.models import JobState
from accounts.refusals import Remedy
from adjudication.exporting import statements
from adjudication.exporting.exporter import FATAL, WARNING, Finding, Options, Reader
from adjudication.exporting.forms import ASPECT, JUDGED
from adjudication.exporting.streams import column
from adjudication.labels.counts import fetch_vote_standing, overrides_in_verdicts
from adjudication.labels.queue import count_late
from adjudication.labels.staleness import Standing
from adjudication.models import VoteRun
from annotation.assignment.ordering import judged_sample
from annotation.campaigns.overrides import overrides_in
from annotation.models import Campaign
from corpus.collections.rules import DECIDE, MANAGE, OVERSEERS
from engines.formats.records import id_problem

OVERRIDE = "machine_override"
# Where what is found is mended, by its code: the words of the link, the page of the campaign, and whose page it is.
BUILD, FOLLOW = ("Add items", "item_build", MANAGE), ("See who judges", "campaign_detail", OVERSEERS)
COUNT = ("Count the votes", "adjudication_screen", DECIDE)
REMEDIES = {
    "no_items": BUILD,
    "no_verdicts": COUNT,
    "stale": COUNT,
    "missing": FOLLOW,
    "unresolved": ("Decide them", "adjudication_screen", DECIDE),
    "reopened": ("Look at them", "adjudication_screen", DECIDE),
    "negative_level": ("Change the levels", "criteria_edit", MANAGE),
    "aspects_missing": BUILD,
    "partial": FOLLOW,
    "nothing_complete": BUILD,
    "no_judgments": FOLLOW,
}
MOST_EXAMPLES = 3
SKIP, BY_ASPECT = ("unresolved", "skip"), ("level", ASPECT)  # options that findings advise
HIGHEST = 127  # what trec_eval holds


def find(options: Options, memo: dict[Any, Any] | None = None) -> list[Finding]:
    """All findings about this export, fatal ones first.

    A page that asks for several exports passes one `memo`, so that what they share is read once; one that knows how the
    campaign's vote stands puts it in by `note_standing`.
    """
    found = options.exporter.findings(options, Reader(options, memo))
    return sorted(found, key=lambda finding: not finding.is_fatal)


def remedy_of(finding: Finding, campaign: Campaign | None, role: str, criterion: str = "") -> Remedy | None:
    """The page that mends it, with the filter of its queue; None where the options of the export do, for roles that may
    not open it, and in an archived collection."""
    if campaign is None or finding.code not in REMEDIES or campaign.collection.archived_at:
        return None
    label, view, roles = REMEDIES[finding.code]
    if role not in roles:
        return None
    query = {"filter": finding.see, "criterion": criterion} if finding.see else {}
    after = f"?{urlencode({name: value for name, value in query.items() if value})}" if query else ""
    return Remedy(label, view, (campaign.collection.slug, campaign.slug), after)


def note_standing(memo: dict[Any, Any], campaign: Campaign, standing: Standing[VoteRun]) -> Standing[VoteRun]:
    """Keep how the campaign's vote stands, so that it is not read again."""
    memo["standing", campaign.pk] = standing
    return standing


def standing_of(campaign: Campaign, memo: dict[Any, Any]) -> Standing[VoteRun]:
    """How the campaign's vote stands, read once for each memo."""
    known: Standing[VoteRun] | None = memo.get(("standing", campaign.pk))
    return known or note_standing(memo, campaign, fetch_vote_standing(campaign))


def qrel_findings(options: Options, read: Reader) -> list[Finding]:
    """Of files that hold a campaign's verdicts on documents, or its labels in their place."""
    if options.campaign is None:
        return []
    found = override_findings(options, options.campaign, by_votes=options.uses_verdicts, memo=read.memo)
    if options.uses_verdicts:
        found += verdict_findings(options, read, standing_of(options.campaign, read.memo))
        found += _sample_findings(options.campaign, read.memo)
    return found + _grade_findings(options, read) + _id_findings(read) + _withdrawn_findings(read)


def _sample_findings(campaign: Campaign, memo: dict[Any, Any]) -> list[Finding]:
    """That the judged items do not stand for the campaign, where a manager chose what was judged next. Read once for
    each memo."""
    if (key := ("sample", campaign.pk)) not in memo:
        is_chosen = campaign.queue_orderings.filter(state=JobState.DONE).exists()
        sample = judged_sample(campaign) if is_chosen else None
        is_biased = sample is not None and not sample.stands_for_all
        memo[key] = [Finding(WARNING, "no_random_sample", sample.sentence)] if sample and is_biased else []
    found: list[Finding] = memo[key]
    return found


def override_findings(
    options: Options, campaign: Campaign | None, *, by_votes: bool = False, memo: dict[Any, Any] | None = None
) -> list[Finding]:
    """Machines whose labels are written, or had a vote in what is (`by_votes`), although their test was not passed.

    They are read once for each memo.
    """
    if campaign is None:
        return []
    memo, key = {} if memo is None else memo, ("overrides", campaign.pk, by_votes)
    if key not in memo:
        memo[key] = overrides_in_verdicts(campaign) if by_votes else overrides_in(campaign)
    overridden = memo[key]
    if options.exporter.verdicts and options.criterion is not None:
        overridden = [each for each in overridden if each.criterion == options.criterion.key]
    return [
        Finding(WARNING, OVERRIDE, each.text, len(each.annotators), about=(f"cycle {each.cycle}", *each.annotators))
        for each in overridden
    ]


def verdict_findings(options: Options, read: Reader, standing: Standing[VoteRun]) -> list[Finding]:
    """Values that are missing, undecided or no longer sure; the option decides whether they refuse or are left out."""
    counts = read.one(ITEMS, ITEM_COLUMNS)
    if not counts["items"]:
        return [Finding(FATAL, "no_items", "The campaign has no items yet.")]
    if not counts["valued"]:
        fact, advice = _without_values(counts, standing, options)
        return [Finding(FATAL, "no_verdicts", fact, counts["items"], advice=advice)]
    if standing.is_stale and options.criterion is not None:
        counts["reopened"] += count_late(options.criterion)
    severity = WARNING if options.skips else FATAL
    undecided = {
        "missing": (f"{_items(counts['missing'])} without a vote when the votes were counted", "", "judge them"),
        "unresolved": (f"{_items(counts['unresolved'])} whose votes are tied or too few", "open", "decide them"),
    }
    found = []
    scores = ", with the scores of their documents" if options.sums and not options.judged_only else ""
    for code, (what, see, remedy) in undecided.items():
        fact = f"{what}: left out{scores}." if options.skips else f"{what}."
        advice = "" if options.skips else options.advise(remedy, SKIP)
        found.append(Finding(severity, code, fact, counts[code], see, advice))
    fact = f"{_items(counts['reopened'])} reopened by a late vote"
    fact = f"{fact}: written with the previous value." if options.skips else f"{fact}."
    advice = "" if options.skips else "Look at them again."
    found.append(Finding(severity, "reopened", fact, counts["reopened"], "reopened", advice))
    if counts["excluded"]:
        text = f"{_items(counts['excluded'])} left out by the rule for ties."
        found.append(Finding(WARNING, "excluded", text, counts["excluded"]))
    if standing.is_stale:
        fact = f"{standing.since[0].upper()}{standing.since[1:]} came after the votes were counted."
        found.append(Finding(severity, "stale", fact, standing.newer or 1, advice="Count again."))
    return [finding for finding in found if finding.count]


NO_VALUE = "No item has a value yet."


def count_first(options: Options) -> str:
    """What gives items their first values."""
    names = options.collection.slug, options.campaign.slug if options.campaign else ""
    advice = where(
        "Count the votes first",
        page="page “Adjudication” of the campaign",
        rest="POST /api/collections/{}/campaigns/{}/votes/".format(*names),
        command="adjudicate {} {}".format(*names),
    )
    return f"{advice}."


def _without_values(counts: dict[str, Any], standing: Standing[VoteRun], options: Options) -> tuple[str, str]:
    """Why no item has a value, and what gives them one."""
    if standing.run is None:
        return NO_VALUE, count_first(options)
    if counts["missing"] == counts["items"]:
        return "When the votes were counted, no item had any.", "Count the votes again once items are judged."
    states = {"unresolved": "tied or with too few votes", "missing": "without a vote", "excluded": "left out as ties"}
    some = ", ".join(f"{counts[state]:,} {words}" for state, words in states.items() if counts[state])
    return (
        f"The votes were counted, but no item has a value: {some}. An item needs {standing.run.least}.",
        "Collect more answers, count again with other rules, or decide the items by hand.",
    )


def _items(count: int) -> str:
    return f"{count:,} item" if count == 1 else f"{count:,} items"


def _grade_findings(options: Options, read: Reader) -> list[Finding]:
    """Grades that trec_eval cannot hold or would read as unjudged, and documents judged in part."""
    found = []
    levels = options.criterion.levels.all() if options.criterion else []
    if negative := [level.value for level in levels if level.value < 0]:
        text = f"Level {negative[0]} is below 0, which readers of qrels interpret as “not judged”."
        found.append(Finding(FATAL, "negative_level", text, len(negative)))
    if not options.sums:
        return found
    pairs = read.one(statements.coverage_of(options), statements.COVERAGE_COLUMNS)
    highest = pairs["highest"]
    if highest is not None and highest > HIGHEST and options["grades"] == "sum" and not options.exporter.adds_up:
        fact = f"The largest sum is {highest}; trec_eval holds at most {HIGHEST}."
        advice = options.advise("", ("grades", "binary"), ("grades", "mean"))
        found.append(Finding(FATAL, "grade_too_large", fact, 1, advice=advice))
    return found + (_judged_findings(pairs) if options.judged_only else _aspect_findings(options, pairs))


def _judged_findings(pairs: dict[str, Any]) -> list[Finding]:
    """Of scores over the judged aspects alone."""
    if not pairs["incomplete"]:
        return []
    some = f"{pairs['incomplete']:,} of {pairs['pairs']:,} documents are scored over judged aspects only"
    topics = f": topic {_first(pairs['examples'])}" if pairs["examples"] else ""
    text = f"{some}{topics}. The comment file gives the number for each document."
    return [Finding(WARNING, "judged_only", text, pairs["incomplete"])]


def _aspect_findings(options: Options, pairs: dict[str, Any]) -> list[Finding]:
    """Of scores that need a value on every aspect of the topic, whether or not the campaign asks for it."""
    found = []
    by_aspect = () if options.exporter.is_summed(ASPECT) else (BY_ASPECT,)
    others = (*by_aspect, ("aspects", JUDGED))
    one, many = ("sub-query", "sub-queries") if options.level == "sub-query" else ("topic", "topics")
    if pairs["short"]:
        what = f"{pairs['short']:,} {one if pairs['short'] == 1 else many}: {_first(pairs['examples'])}"
        fact = f"The campaign judges only some of the aspects of {what}. Scores of documents would be too low."
        judge = options.advise("judge the other aspects", *others)
        found.append(Finding(FATAL, "aspects_missing", fact, pairs["short"], advice=judge))
    adds_up = options.exporter.adds_up
    partial = pairs["incomplete"] if adds_up and options.skips else pairs["partial"]
    leaves_out = (options.skips or options["annotators"]) and not adds_up
    if partial:
        some = f"{partial:,} of {pairs['pairs']:,} documents are not judged on every aspect of their {one}"
        if adds_up and options.skips:  # the others have no value at all, or every one
            some = f"{partial:,} documents have values on only some aspects of their {one}"
        fact = f"{some}, so their scores would be too low."
        if leaves_out:
            found.append(Finding(WARNING, "partial", f"{fact} They are left out.", partial))
        else:
            judge = options.advise("judge them", *(() if adds_up else (SKIP,)), *others)
            found.append(Finding(FATAL, "partial", fact, partial, advice=judge))
    if (
        options.skips
        and pairs["incomplete"]
        and not (pairs["complete"] or pairs["short"] or options["annotators"] or adds_up)
    ):
        examples = f": {_first(pairs['examples'])}" if pairs["examples"] else ""
        fact = f"No document is judged on every aspect of its {one}{examples}."
        judge = options.advise("judge the other aspects", *others)
        found.append(Finding(FATAL, "nothing_complete", fact, pairs["incomplete"], advice=judge))
    return found


def _first(examples: list[str] | None) -> str:
    """The first few of what is found, in words."""
    shown = examples or []
    return ", ".join(shown[:MOST_EXAMPLES]) + (" …" if len(shown) > MOST_EXAMPLES else "")


def _id_findings(read: Reader) -> list[Finding]:
    """Docnos and topic numbers that no TREC file can carry, by name."""
    odd = [name for (name,) in read(ODD_IDS)]
    bad = [problem for name in odd if (problem := id_problem(name))]
    if not bad:
        return []
    named = "; ".join(bad[:MOST_EXAMPLES]) + (" …" if len(bad) > MOST_EXAMPLES else "")
    return [Finding(FATAL, "bad_id", f"Ids that cannot be written: {named}.", len(bad))]


def _withdrawn_findings(read: Reader) -> list[Finding]:
    """Topics of the campaign that the file does not hold, because they are no longer ours to publish."""
    (count,) = read(WITHDRAWN)[0]
    if not count:
        return []
    text = f"Questions that their authors have withdrawn, so left out with their judgments: {count:,}."
    return [Finding(WARNING, "withdrawn", text, count)]


def name_findings(read: Reader) -> list[Finding]:
    names = [name for (name,) in read(NAMES)]
    columns: dict[str, list[str]] = {}
    for name in names:
        columns.setdefault(column(name), []).append(name)
    found = [
        Finding(FATAL, "same_name", f"{' and '.join(same)} would both be written as {written}.", len(same))
        for written, same in columns.items()
        if len(same) > 1
    ]
    if changed := [name for name in names if name != column(name)]:
        text = f"Spaces in names become underscores: {', '.join(map(column, changed[:MOST_EXAMPLES]))}."
        found.append(Finding(WARNING, "renamed", text, len(changed)))
    if not names:
        found.append(Finding(FATAL, "no_judgments", "Nobody has judged in this campaign yet."))
    return found


ITEM_COLUMNS = "items valued missing unresolved excluded reopened"
ITEMS = """
SELECT count(*), count(v.value), count(*) FILTER (WHERE v.id IS NULL),
  count(*) FILTER (WHERE v.method = 'unresolved'),
  count(*) FILTER (WHERE v.method = 'excluded'),
  count(*) FILTER (WHERE v.reopened_at IS NOT NULL)
FROM annotation_item i
LEFT JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s
WHERE i.campaign_id = %(campaign)s
"""
# Anything but 1 to 255 printable ASCII characters. Counting inside of the pattern is slow.
_ODD = "(%s ~ '[^!-~]' OR length(%s) NOT BETWEEN 1 AND 255)"
ODD_IDS = f"""
SELECT d.docno FROM corpus_document d WHERE d.collection_id = %(collection)s AND {_ODD.replace("%s", "d.docno")}
  AND EXISTS (SELECT FROM annotation_item i WHERE i.document_id = d.id AND i.campaign_id = %(campaign)s)
UNION
SELECT t.written FROM {statements.PUBLISHED_TOPICS} t
WHERE t.collection_id = %(collection)s AND {_ODD.replace("%s", "t.written")}
  AND EXISTS (SELECT FROM annotation_item i WHERE i.topic_id = t.id AND i.campaign_id = %(campaign)s)
ORDER BY 1
"""
WITHDRAWN = f"""
SELECT count(DISTINCT i.topic_id) FROM annotation_item i LEFT JOIN {statements.PUBLISHED_TOPICS} t ON t.id = i.topic_id
WHERE i.campaign_id = %(campaign)s AND i.topic_id IS NOT NULL AND t.id IS NULL
"""
NAMES = """
SELECT who.name FROM annotation_annotator who WHERE who.campaign_id = %(campaign)s AND EXISTS (
  SELECT FROM annotation_assignment a WHERE a.annotator_id = who.id AND a.state = 'done') ORDER BY who.name
"""
