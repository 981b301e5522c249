"""What stands in the way of an export, found before its first byte: fatal findings refuse it, warnings go with it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection

from adjudication.exports import statements
from adjudication.exports.contexts import context_findings
from adjudication.exports.lines import column
from adjudication.exports.options import Options
from adjudication.exports.streams import parameters
from adjudication.exports.topics import query_problem
from adjudication.queries.overrides import overrides_in_verdicts
from adjudication.queries.question_set import UNDECIDED, fetch_question_set
from adjudication.queries.queue import VoteStanding, count_late, fetch_vote_standing
from annotation.models import Campaign
from annotation.queries.overrides import overrides_in
from corpus.formats.records import id_problem

FATAL, WARNING = "fatal", "warning"
OVERRIDE = "machine_override"
MOST_EXAMPLES = 3
HIGHEST = 127  # what trec_eval holds


@dataclass(frozen=True)
class Finding:
    """One thing found. `code` is stable; `text` says what, how often, and what to do; `see` names a queue filter."""

    severity: str
    code: str
    text: str
    count: int = 0
    see: str = ""

    @property
    def is_fatal(self) -> bool:
        return self.severity == FATAL


Read = Callable[[str], list[tuple[Any, ...]]]


def find(options: Options, memo: dict[Any, Any] | None = None) -> list[Finding]:
    """Everything that stands in the way of this export, fatal findings first.

    A page that asks for several kinds passes one `memo`, so that what they share is read once; one that knows how the
    campaign's vote stands puts it in by `note_standing`.
    """
    if options.of_contexts:
        return [Finding(severity, code, text, count) for severity, code, text, count in context_findings(options)]
    memo = {} if memo is None else memo
    found = question_findings(options, memo) if options.kind.questions else _found(options, memo)
    return sorted(found, key=lambda finding: not finding.is_fatal)


def note_standing(memo: dict[Any, Any], campaign: Campaign, standing: VoteStanding) -> VoteStanding:
    """Keep how the campaign's vote stands, so that it is not read again."""
    memo["standing", campaign.pk] = standing
    return standing


def _standing(campaign: Campaign, memo: dict[Any, Any]) -> VoteStanding:
    known: VoteStanding | None = memo.get(("standing", campaign.pk))
    return known or note_standing(memo, campaign, fetch_vote_standing(campaign))


def _found(options: Options, memo: dict[Any, Any]) -> list[Finding]:
    if options.campaign is None:
        return _unjudged_findings(options)
    read = _reader(options, memo)
    found = _override_findings(options, options.campaign)
    if options.uses_verdicts:
        found += _verdict_findings(options, read, _standing(options.campaign, memo))
    if options.kind.verdicts:
        found += _grade_findings(options, read) + _id_findings(read)
        found += _withdrawn_findings(read)
    if options.annotators:
        found += _name_findings(read)
    if options.kind.name == "diversity":
        found += _digit_findings(read)
    if options.kind.name == "doris-mae":
        found += _doris_findings(read)
    if options.kind.name == "beir":
        found += _beir_findings(options, read)
    return found


def _override_findings(options: Options, campaign: Campaign) -> list[Finding]:
    """Machines whose labels are written, or had a vote in what is, although their test was not passed."""
    stands_on_votes = options.uses_verdicts or options.kind.name == "verdicts" or options.kind.questions
    overridden = overrides_in_verdicts(campaign) if stands_on_votes else overrides_in(campaign)
    if options.kind.verdicts and options.criterion is not None:
        overridden = [each for each in overridden if each.criterion == options.criterion.key]
    return [Finding(WARNING, OVERRIDE, each.text, len(each.annotators)) for each in overridden]


def _unjudged_findings(options: Options) -> list[Finding]:
    """Of files that stand on no campaign."""
    if options.kind.verdicts:
        text = "No campaign judges documents yet, so the file holds queries, pools and abstracts without a value."
        return [Finding(WARNING, "not_judged", text)]
    if options.kind.name == "queries-txt" and (reason := query_problem(options)):
        return [Finding(FATAL, "no_queries_txt", reason)]
    return []


def question_findings(options: Options, memo: dict[Any, Any]) -> list[Finding]:
    """What stands in the way of a question set: nothing kept; ids that files cannot carry; what is not decided yet."""
    slug = options.campaign.slug if options.campaign else ""
    key = ("questions", slug)
    found = memo[key] if key in memo else fetch_question_set(options.collection, slug)
    memo[key] = found
    if not found.questions:
        text = "No question has been rated yet, and none came with a quality. Rate some in a rubric campaign first."
        return [Finding(FATAL, "no_questions", text)]
    kept, is_table = found.kept, options.kind.name in ("question-statistics", "question-latex")
    if not kept and not is_table:
        return [Finding(FATAL, "none_kept", "No question is kept.")]
    overridden = [each for campaign in found.campaigns for each in _override_findings(options, campaign)]
    undecided, alone = len(found.in_state(UNDECIDED)), sum(not question.targets for question in kept)
    findings = list(dict.fromkeys(overridden))
    if undecided:
        text = (
            f"Not decided yet (not rated, or tied), so left out: {undecided:,} of {len(found.questions):,} questions."
        )
        findings.append(Finding(WARNING, "undecided", text, undecided))
    if alone and not is_table:
        findings.append(Finding(WARNING, "no_targets", f"Kept questions without a target: {alone:,}.", alone))
    if options.kind.name == "question-beir":
        findings += _beir_findings(options, _reader(options, memo))
    return findings


def _reader(options: Options, memo: dict[Any, Any]) -> Read:
    """Reads a statement's rows for these options, each statement once."""
    named: dict[str, Any] = {}

    def read(statement: str) -> list[tuple[Any, ...]]:
        if not named:
            named.update(parameters(options))
        key = (statement, *named.values())
        if key not in memo:
            with connection.cursor() as cursor:
                cursor.execute(statement, named)
                memo[key] = cursor.fetchall()
        return list(memo[key])

    return read


def _verdict_findings(options: Options, read: Read, standing: VoteStanding) -> list[Finding]:
    """Values that are missing, undecided or no longer sure; the option decides whether they refuse or are left out."""
    counts = _one(read, ITEMS, ITEM_COLUMNS)
    if not counts["items"]:
        return [Finding(FATAL, "no_items", "The campaign has no items yet.")]
    if not counts["valued"]:
        return [Finding(FATAL, "no_verdicts", _without_values(counts, standing), counts["items"])]
    newer = standing.newer
    if newer and options.criterion is not None:
        counts["reopened"] += count_late(options.criterion)
    severity = WARNING if options.skips else FATAL
    told = "decide them, or leave them out with “skip”"
    if options.skips:
        told = "left out" + (", with the scores of their documents" if options.sums and not options.judged_only else "")
    texts = {
        "missing": f"{_items(counts['missing'])} without enough votes for a verdict: {told}.",
        "unresolved": f"{_items(counts['unresolved'])} whose votes are tied or too few: {told}.",
        "reopened": f"{_items(counts['reopened'])} reopened by a late vote: "
        + ("written with the value that stood before." if options.skips else "look at them again."),
    }
    sees = {"unresolved": "open", "reopened": "reopened"}
    found = [Finding(severity, code, text, counts[code], sees.get(code, "")) for code, text in texts.items()]
    if counts["excluded"]:
        text = f"{_items(counts['excluded'])} left out by the policy for ties."
        found.append(Finding(WARNING, "excluded", text, counts["excluded"]))
    if newer:
        text = (
            f"{newer:,} newer {'answer' if newer == 1 else 'answers'} came after the votes were counted: count again."
        )
        found.append(Finding(severity, "stale", text, newer))
    return [finding for finding in found if finding.count]


def _without_values(counts: dict[str, Any], standing: VoteStanding) -> str:
    """Why no item has a value, and what gives them one."""
    if standing.run is None:
        return "No item has a value yet. Count the votes first (page “Adjudication” of the campaign)."
    if counts["missing"] == counts["items"]:
        return "When the votes were counted, no item had any. Count the votes again once items are judged."
    states = {"unresolved": "tied or with too few votes", "missing": "without a vote", "excluded": "left out as ties"}
    some = ", ".join(f"{counts[state]:,} {words}" for state, words in states.items() if counts[state])
    return (
        f"The votes were counted, but no item has a value: {some}. An item needs at least {standing.run.min_votes} "
        "votes. Collect more answers, count again with other rules, or decide the items by hand."
    )


def _items(count: int) -> str:
    return f"{count:,} item" if count == 1 else f"{count:,} items"


def _grade_findings(options: Options, read: Read) -> list[Finding]:
    """Grades that trec_eval cannot hold or would read as unjudged, and documents judged in part."""
    found = []
    levels = options.criterion.levels.all() if options.criterion else []
    if negative := [level.value for level in levels if level.value < 0]:
        text = f"Level {negative[0]} is below 0, which readers of qrels take for “not judged”."
        found.append(Finding(FATAL, "negative_level", text, len(negative)))
    if not options.sums:
        return found
    pairs = _one(read, statements.coverage_of(options), statements.COVERAGE_COLUMNS)
    highest = pairs["highest"]
    if highest is not None and highest > HIGHEST and options.grades == "sum" and options.kind.name != "doris-mae":
        text = f"The largest sum is {highest}; trec_eval holds at most {HIGHEST}. Export binary grades or means."
        found.append(Finding(FATAL, "grade_too_large", text, 1))
    return found + (_judged_findings(pairs) if options.judged_only else _aspect_findings(options, pairs))


def _judged_findings(pairs: dict[str, Any]) -> list[Finding]:
    """Of scores over the judged aspects alone."""
    if not pairs["begun"]:
        return []
    some = f"{pairs['begun']:,} of {pairs['pairs']:,} documents are scored over judged aspects only"
    text = f"{some}: topic {_first(pairs['examples'])}. The comment file says over how many each."
    return [Finding(WARNING, "judged_only", text, pairs["begun"])]


def _aspect_findings(options: Options, pairs: dict[str, Any]) -> list[Finding]:
    """Of scores that need a value on every aspect of the topic, whether or not the campaign asks for it."""
    found = []
    advice = "export by aspect, or choose “score over judged aspects only”"
    if pairs["short"]:
        one, many = ("sub-query", "sub-queries") if options.level == "sub-query" else ("topic", "topics")
        what = f"{pairs['short']:,} {one if pairs['short'] == 1 else many}: {_first(pairs['examples'])}"
        text = (
            f"The campaign judges only some of the aspects of {what}. Scores of documents would be too low: judge the "
        )
        text += f"other aspects, {advice}."
        found.append(Finding(FATAL, "aspects_missing", text, pairs["short"]))
    adds_up = options.kind.name == "doris-mae"  # its readers add up whatever values there are: nothing can be left out
    partial = pairs["begun"] if adds_up and options.skips else pairs["partial"]
    leaves_out = (options.skips or options.annotators) and not adds_up
    if partial:
        some = f"{partial:,} of {pairs['pairs']:,} documents are not judged on every aspect of their topic"
        told = "They are left out." if leaves_out else f"Judge them, {'' if adds_up else 'skip them, '}{advice}."
        text = f"{some}, so their scores would be too low. {told}"
        found.append(Finding(WARNING if leaves_out else FATAL, "partial", text, partial))
    if options.skips and pairs["begun"] and not (pairs["complete"] or pairs["short"] or options.annotators or adds_up):
        text = f"No document is judged on every aspect of its topic: {_first(pairs['examples'])}."
        found.append(Finding(FATAL, "nothing_complete", f"{text} Judge the other aspects, {advice}.", pairs["begun"]))
    return found


def _first(examples: list[str] | None) -> str:
    """The first few of what is found, in words."""
    shown = examples or []
    return ", ".join(shown[:MOST_EXAMPLES]) + (" …" if len(shown) > MOST_EXAMPLES else "")


def _id_findings(read: Read) -> list[Finding]:
    """Docnos and topic numbers that no TREC file can carry, by name."""
    odd = [name for (name,) in read(ODD_IDS)]
    bad = [problem for name in odd if (problem := id_problem(name))]
    if not bad:
        return []
    named = "; ".join(bad[:MOST_EXAMPLES]) + (" …" if len(bad) > MOST_EXAMPLES else "")
    return [Finding(FATAL, "bad_id", f"Ids that cannot be written: {named}.", len(bad))]


def _withdrawn_findings(read: Read) -> list[Finding]:
    """Topics of the campaign that the file does not hold, because they are no longer ours to publish."""
    (count,) = read(WITHDRAWN)[0]
    if not count:
        return []
    text = f"Questions that their authors have withdrawn, so left out with their judgments: {count:,}."
    return [Finding(WARNING, "withdrawn", text, count)]


def _name_findings(read: Read) -> list[Finding]:
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
        text = f"Blanks in names become underscores: {', '.join(map(column, changed[:MOST_EXAMPLES]))}."
        found.append(Finding(WARNING, "renamed", text, len(changed)))
    if not names:
        found.append(Finding(FATAL, "no_judgments", "Nobody has judged in this campaign yet."))
    return found


def _digit_findings(read: Read) -> list[Finding]:
    """ndeval reads topics as digits only."""
    odd = [number for (number,) in read(ODD_NUMBERS)]
    if not odd:
        return []
    named = ", ".join(odd[:MOST_EXAMPLES]) + (" …" if len(odd) > MOST_EXAMPLES else "")
    text = f"ndeval takes topic numbers of digits only; it cannot read {named}. Export qrels by aspect instead."
    return [Finding(FATAL, "number_not_digits", text, len(odd))]


def _doris_findings(read: Read) -> list[Finding]:
    """DORIS-MAE scores an abstract once for each text of an aspect, with 0, 1 or 2."""
    found = []
    if other := read(statements.OTHER_SCORES):
        text = "DORIS-MAE's layout holds the values 0, 1 and 2 of aspects; the campaign has others, or whole topics."
        found.append(Finding(FATAL, "no_doris_score", text, sum(count for _, count in other)))
    for aspect, docno, count in read(statements.TWO_SCORES):
        text = f"Document {docno} has two values for the aspect “{aspect}”, which two topics share: decide on one."
        found.append(Finding(FATAL, "two_scores", text, count))
    ((alone,),) = read(statements.POOLED_ALONE)
    if alone:
        text = f"Pooled documents without any value, which readers of DORIS-MAE's layout score 0: {alone:,}."
        found.append(Finding(WARNING, "pooled_alone", text, alone))
    return found


def _beir_findings(options: Options, read: Read) -> list[Finding]:
    found = []
    if options.query_prefix or options.document_prefix:
        text = f"Ids begin with “{options.query_prefix}” (queries) and “{options.document_prefix}” (documents)."
        found.append(Finding(WARNING, "prefixed_ids", text))
    if same := [name for (name,) in read(SAME_IDS)]:
        text = (
            f"BEIR drops results whose id is the query's own: {', '.join(same[:MOST_EXAMPLES])}. Give the ids prefixes,"
            " such as q for queries and d for documents."
        )
        found.append(Finding(FATAL, "same_id", text, len(same)))
    if quoted := [name for (name,) in read(QUOTED_IDS)]:
        text = f"BEIR reads a double quote as the start of a quoted field: {', '.join(quoted[:MOST_EXAMPLES])}."
        found.append(Finding(FATAL, "quoted_id", text, len(quoted)))
    return found


def _one(read: Read, statement: str, names: str) -> dict[str, Any]:
    """The single row of a statement, its columns by name."""
    return dict(zip(names.split(), read(statement)[0], strict=True))


ITEM_COLUMNS = "items valued missing unresolved excluded reopened"
ITEMS = """
SELECT count(*), count(v.value), count(*) FILTER (WHERE v.id IS NULL),
  count(*) FILTER (WHERE v.method = 'unresolved'),
  count(*) FILTER (WHERE v.method = 'tie-policy' AND v.value IS NULL),
  count(*) FILTER (WHERE v.reopened_at IS NOT NULL)
FROM annotation_item i
LEFT JOIN adjudication_verdict v ON v.item_id = i.id AND v.criterion_id = %(criterion)s
WHERE i.campaign_id = %(campaign)s
"""
_PLAIN = r"^[!-~]{1,255}$"
ODD_IDS = f"""
SELECT DISTINCT d.docno FROM corpus_document d JOIN annotation_item i ON i.document_id = d.id
WHERE i.campaign_id = %(campaign)s AND d.docno !~ '{_PLAIN}'
UNION
SELECT DISTINCT t.written FROM {statements.STANDING} t JOIN annotation_item i ON i.topic_id = t.id
WHERE i.campaign_id = %(campaign)s AND t.written !~ '{_PLAIN}'
ORDER BY 1
"""
WITHDRAWN = f"""
SELECT count(DISTINCT i.topic_id) FROM annotation_item i LEFT JOIN {statements.STANDING} t ON t.id = i.topic_id
WHERE i.campaign_id = %(campaign)s AND i.topic_id IS NOT NULL AND t.id IS NULL
"""
NAMES = """
SELECT who.name FROM annotation_annotator who WHERE who.campaign_id = %(campaign)s AND EXISTS (
  SELECT FROM annotation_assignment a WHERE a.annotator_id = who.id AND a.state = 'done') ORDER BY who.name
"""
ODD_NUMBERS = f"""
SELECT DISTINCT t.written FROM {statements.STANDING} t JOIN annotation_item i ON i.topic_id = t.id
WHERE i.campaign_id = %(campaign)s AND t.written !~ '^[0-9]+$' ORDER BY 1
"""
SAME_IDS = f"""
SELECT t.written FROM {statements.STANDING} t JOIN corpus_document d ON d.collection_id = t.collection_id
  AND %(document_prefix)s::text || d.docno = %(query_prefix)s::text || t.written
WHERE t.collection_id = %(collection)s ORDER BY 1
"""
QUOTED_IDS = """
SELECT d.docno FROM corpus_document d WHERE d.collection_id = %(collection)s AND d.docno LIKE '%%"%%'
UNION SELECT t.number FROM corpus_topic t WHERE t.collection_id = %(collection)s AND t.number LIKE '%%"%%' ORDER BY 1
"""
