"""What can be exported, and the choices a person has."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from accounts.refusals import Refused
from adjudication.models import ExportPrefixes
from annotation.models import Campaign, CampaignKind, Criterion
from corpus.models import Collection

_PREFIX = re.compile(r"[!#-~]{0,20}").fullmatch
PARAGRAPH, SENTENCE = "paragraph", "sentence"  # levels of citation contexts
CONTEXT_LEVELS = (PARAGRAPH, SENTENCE)
JUDGED_LEVELS = ("query", "aspect", "sub-query")
LEVELS = (*JUDGED_LEVELS, *CONTEXT_LEVELS)
PREFIX_WORDS = ("query_prefix", "document_prefix")
BEIR_KINDS = ("beir", "question-beir")
BY_SUB_QUERY = ("qrels", "topics")  # kinds that can be written for sub-queries
ITERATIONS = ("reference", "zero")
GRADES = ("sum", "binary", "mean")
UNRESOLVED = ("refuse", "skip")
EVERY, JUDGED = "every", "judged"  # which of a topic's aspects a document's score needs
ASPECTS = (EVERY, JUDGED)


@dataclass(frozen=True)
class Kind:
    """One kind of file: what it is called, how its file name ends, and whether it is about one campaign's verdicts."""

    name: str
    label: str
    suffix: str
    content_type: str
    about: str
    campaign: bool = True
    verdicts: bool = False
    contexts: bool = False  # of citation contexts only
    questions: bool = False  # of a question set; a campaign narrows it to what that one rated

    @property
    def short(self) -> str:
        """The label without what all of its sort share."""
        return self.label.removeprefix("Question set, ")


OCTETS = "application/octet-stream"
NDJSON = "application/x-ndjson; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
KEPT = "The questions that are kept, confirmed rewrites in place of the originals. Can be imported again."
FIGURES = "Counts, lengths, overlap, targets, and what is kept, by source and level."


def _of_questions(name: str, label: str, suffix: str, content_type: str, about: str) -> Kind:
    return Kind(name, f"Question set, {label}", suffix, content_type, about, campaign=False, questions=True)


QUESTION_KINDS = (
    _of_questions("litsearch", "LitSearch JSONL", "litsearch.jsonl", NDJSON, KEPT),
    _of_questions("litsearch-parquet", "LitSearch parquet", "litsearch.parquet", OCTETS, KEPT),
    _of_questions("question-topics", "TREC topics", "questions.topics", TEXT, KEPT),
    _of_questions("question-qrels", "TREC qrels", "questions.qrels", TEXT, "The targets of those that are kept."),
    _of_questions(
        "question-beir", "BEIR", "questions.beir.zip", "application/zip", "Documents, questions and targets."
    ),
    _of_questions("question-statistics", "tables as CSV", "questions.csv", "text/csv; charset=utf-8", FIGURES),
    _of_questions("question-latex", "tables as LaTeX", "questions.tex", "application/x-tex; charset=utf-8", FIGURES),
)
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "qrels",
            "TREC qrels",
            "qrels",
            "text/plain; charset=utf-8",
            "One line per topic (or aspect, or sub-query) and document, as trec_eval and ir-measures read it.",
            verdicts=True,
        ),
        Kind(
            "diversity",
            "TREC diversity qrels",
            "diversity.qrels",
            "text/plain; charset=utf-8",
            "Topic, subtopic, document and judgment, as ndeval reads it. Its subtopics are listed under “Aspects”.",
            verdicts=True,
        ),
        Kind(
            "aspects",
            "Aspects",
            "aspects.tsv",
            "text/tab-separated-values; charset=utf-8",
            "Which aspect each subtopic number stands for.",
            campaign=False,
        ),
        Kind(
            "topics",
            "TREC topics",
            "topics",
            "text/plain; charset=utf-8",
            "All topics with number, title, description and narrative; or one topic for each aspect or sub-query.",
            campaign=False,
        ),
        Kind(
            "topics-jsonl",
            "Topics, JSONL",
            "topics.jsonl",
            NDJSON,
            "All topics with their aspects, the sentences these come from, targets and source papers. Can be imported "
            "again.",
            campaign=False,
        ),
        Kind(
            "queries-txt",
            "Queries with aspects, queries.txt",
            "queries.txt",
            TEXT,
            "Each complex query: sentences, aspects, sub-aspects, in DORIS-MAE's text layout. Can be imported again.",
            campaign=False,
        ),
        Kind(
            "judgments",
            "Judgments, CSV",
            "judgments.csv",
            "text/csv; charset=utf-8",
            "Every label that counts, by annotator. Can be imported again.",
        ),
        Kind(
            "judgments-jsonl",
            "Judgments, JSONL",
            "judgments.jsonl",
            "application/x-ndjson; charset=utf-8",
            "The same, one JSON object per line, with notes and times.",
        ),
        Kind(
            "verdicts",
            "Verdicts, JSONL",
            "verdicts.jsonl",
            "application/x-ndjson; charset=utf-8",
            "The value of each item with the policy and the votes it stands on.",
        ),
        Kind(
            "documents",
            "Documents, JSONL",
            "documents.jsonl",
            "application/x-ndjson; charset=utf-8",
            "All documents but citing papers, with everything that is known of them. Can be imported again.",
            campaign=False,
        ),
        Kind(
            "doris-mae",
            "DORIS-MAE JSON",
            "doris-mae.json",
            "application/json; charset=utf-8",
            "Queries with aspects and pools, all abstracts, and the value of each aspect and abstract, in version 1 of "
            "DORIS-MAE's layout. Can be imported again.",
            verdicts=True,
        ),
        Kind(
            "beir",
            "BEIR",
            "beir.zip",
            "application/zip",
            "corpus.jsonl, queries.jsonl and qrels/test.tsv in one archive.",
            verdicts=True,
        ),
        Kind(
            "acm-cr",
            "Citation contexts, ACM-CR XML",
            "acm-cr.zip",
            "application/zip",
            "For each paper its contexts and references as XML, and a sheet of what its references are.",
            campaign=False,
            contexts=True,
        ),
        Kind(
            "blacklist",
            "Citing papers",
            "blacklist.txt",
            "text/plain; charset=utf-8",
            "The papers whose contexts are queries, one in each line: they are left out of what is searched.",
            campaign=False,
            contexts=True,
        ),
        *QUESTION_KINDS,
    )
}


@dataclass(frozen=True)
class Options:
    """One export as it was asked for. `campaign` and `criterion` are set for the kinds that need them."""

    collection: Collection
    kind: Kind
    campaign: Campaign | None = None
    criterion: Criterion | None = None
    level: str = "query"
    grades: str = "sum"
    annotators: bool = False
    unresolved: str = "refuse"
    aspects: str = EVERY
    iteration: str = "reference"
    first_number: int | None = None
    drafts: bool = False
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def of_contexts(self) -> bool:
        """Whether it is made from papers instead of topics and verdicts."""
        return self.kind.contexts or self.level in CONTEXT_LEVELS

    @property
    def skips(self) -> bool:
        return self.unresolved == "skip"

    @property
    def sums(self) -> bool:
        """Whether its values are documents' scores over all aspects of a query or sub-query, or are summed to them."""
        return is_summed(self.kind.name, self.level) and self.campaign is not None

    @property
    def judged_only(self) -> bool:
        """Whether documents are scored over their judged aspects alone; then the file goes out with a comment file."""
        return self.aspects == JUDGED and self.sums

    @property
    def uses_verdicts(self) -> bool:
        """Labels by annotator need no verdicts."""
        return self.kind.verdicts and not self.annotators and not self.of_contexts

    @property
    def base_name(self) -> str:
        """The name of the file itself."""
        parts = [self.collection.slug]
        if self.of_contexts:
            parts += [self.level] if not self.kind.contexts else []
            return "-".join([*parts, *(["drafts"] if self.drafts else [])]) + f".{self.kind.suffix}"
        if self.campaign is not None:
            parts.append(self.campaign.slug)
        if self.kind.name == "qrels":
            parts += [self.level, "annotators" if self.annotators else self.grades if self.level != "aspect" else ""]
        if self.judged_only:
            parts.append("judged-aspects")
        if self.kind.name == "topics" and self.level != "query":
            parts.append(self.level)
        return "-".join(filter(None, parts)) + f".{self.kind.suffix}"


def make_options(
    collection: Collection,
    kind: str,
    *,
    campaign: str = "",
    criterion: str = "",
    level: str = "query",
    grades: str = "sum",
    annotators: bool = False,
    unresolved: str = "refuse",
    aspects: str = EVERY,
    iteration: str = "reference",
    first_number: int | None = None,
    drafts: bool = False,
    query_prefix: str | None = None,
    document_prefix: str | None = None,
) -> Options:
    """Options from words. Without a campaign's slug the only one is taken. Refused for anything unknown.

    `iteration`, `first_number` and `drafts` are about citation contexts alone, the prefixes of ids about BEIR: None
    stands for those that this export had last.
    """
    asked = (query_prefix, document_prefix)
    _check_prefixes(kind, asked)
    words = ((level, LEVELS), (grades, GRADES), (unresolved, UNRESOLVED), (aspects, ASPECTS), (iteration, ITERATIONS))
    _check_words(kind, words)
    _check_summed(kind, level, aspects)
    if annotators and kind != "qrels":
        raise Refused("Only qrels can be written by annotator; “judgments” always are.")
    if level == "sub-query":
        _check_sub_queries(collection, kind, annotators=annotators)
    if level in CONTEXT_LEVELS or KINDS[kind].contexts:
        found = Options(collection, KINDS[kind], level=level, iteration=iteration)
        return _checked_for_contexts(replace(found, first_number=first_number, drafts=drafts))
    if not KINDS[kind].campaign:
        rated_in = _rubric(collection, campaign) if KINDS[kind].questions else None
        return _with_prefixes(Options(collection, KINDS[kind], rated_in, level=level), asked)
    if kind == "doris-mae" and not _judges_documents(collection):
        if campaign:
            _campaign(collection, campaign)  # refuses a name that is none
        return Options(collection, KINDS[kind])  # queries, pools and abstracts, before anything is judged
    judged = _campaign(collection, campaign)
    if KINDS[kind].verdicts and judged.kind != CampaignKind.RELEVANCE:
        raise Refused(
            f"{judged} is of kind {judged.get_kind_display()}: it judges no documents, so there are no qrels."
        )
    found = Options(
        collection, KINDS[kind], judged, _criterion(judged, criterion), level, grades, annotators, unresolved, aspects
    )
    return _with_prefixes(found, asked)


def _check_prefixes(kind: str, asked: Iterable[str | None]) -> None:
    for prefix in filter(None, asked):
        if kind not in BEIR_KINDS:
            raise Refused("Only BEIR files take prefixes of ids.")
        if not _PREFIX(prefix):
            raise Refused(
                f"“{prefix[:40]}” cannot begin an id: at most 20 ASCII characters, no blank, no double quote."
            )


def _with_prefixes(options: Options, asked: tuple[str | None, str | None]) -> Options:
    """The options with the prefixes asked for, else those that the same export had last."""
    if options.kind.name not in BEIR_KINDS:
        return options
    last = ExportPrefixes.objects.filter(
        collection=options.collection, campaign=options.campaign, kind=options.kind.name
    ).first()
    known = (last.query, last.document) if last else ("", "")
    query, document = (before if new is None else new for before, new in zip(known, asked, strict=True))
    return replace(options, query_prefix=query, document_prefix=document)


def _check_summed(kind: str, level: str, aspects: str) -> None:
    if aspects == JUDGED and not is_summed(kind, level):
        raise Refused(
            "Only scores over aspects can be written over the judged ones alone: qrels and BEIR by query or sub-query, "
            "and DORIS-MAE JSON."
        )


def is_summed(kind: str, level: str) -> bool:
    """Whether a file of this kind and level holds scores of documents over all aspects of a query or sub-query."""
    return kind == "doris-mae" or (kind in ("qrels", "beir") and level in ("query", "sub-query"))


def _check_words(kind: str, words: Iterable[tuple[str, Sequence[str]]]) -> None:
    if kind not in KINDS:
        raise Refused(f"Unknown export “{kind}”. There is {', '.join(KINDS)}.")
    for word, known in words:
        if word not in known:
            raise Refused(f"“{word}” is none of {', '.join(known)}.")


def whole_number(word: str) -> int | None:
    """A first number as it was typed, None for nothing. Refused for anything else than a whole number."""
    word = word.strip()
    if not word:
        return None
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise Refused(f"“{word[:40]}” is not a whole number of at most nine digits.")
    return int(word)


def _checked_for_contexts(options: Options) -> Options:
    """The same options, or Refused where they make no sense for citation contexts."""
    if options.level in CONTEXT_LEVELS and options.kind.name not in ("topics", "qrels"):
        raise Refused(f"Of a {options.level} there are topics and qrels, no {options.kind.label}.")
    if options.first_number is not None and options.first_number < 0:
        raise Refused("The first number of sentence topics is 0 or more.")
    return options


def _check_sub_queries(collection: Collection, kind: str, *, annotators: bool) -> None:
    if kind not in BY_SUB_QUERY:
        raise Refused("Sub-queries can be written as qrels and as topics.")
    if annotators:
        raise Refused(
            "Qrels of sub-queries stand on verdicts; labels by annotator are written for queries and aspects."
        )
    if not collection.sub_queries.exists():
        raise Refused("There are no sub-queries yet. Make them first on the page “Sub-queries”.")


def _judges_documents(collection: Collection) -> bool:
    return collection.campaigns.filter(kind=CampaignKind.RELEVANCE).exists()


def _rubric(collection: Collection, slug: str) -> Campaign | None:
    """The rubric campaign of that name. None without a name, and for a campaign that rates no questions."""
    if not slug:
        return None
    found = _campaign(collection, slug)
    return found if found.kind == CampaignKind.RUBRIC else None


def _campaign(collection: Collection, slug: str) -> Campaign:
    campaigns = list(collection.campaigns.order_by("slug"))
    for campaign in campaigns:
        campaign.collection = collection
        if slug in (campaign.slug, campaign.name):
            return campaign
    known = ", ".join(campaign.slug for campaign in campaigns)
    if slug:
        raise Refused(f"{collection.slug} has no campaign “{slug}”. " + (f"It has: {known}." if known else ""))
    campaigns = [campaign for campaign in campaigns if campaign.kind != CampaignKind.EXTRACTION] or campaigns
    if len(campaigns) != 1:
        raise Refused(f"Say which campaign: {known}." if known else "There is no campaign yet, so nothing is judged.")
    return campaigns[0]


def _criterion(campaign: Campaign, key: str) -> Criterion:
    criteria = list(campaign.criteria.all())
    for criterion in criteria:
        if not key or criterion.key == key:
            return criterion
    if not criteria:
        raise Refused(f"{campaign} has no criteria, so it has no labels to write.")
    known = ", ".join(criterion.key for criterion in criteria)
    raise Refused(f"{campaign} has no criterion “{key}”. It has: {known}.")
