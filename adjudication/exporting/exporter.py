"""What an export is: its words, options, findings and bytes.

Another package subclasses `Exporter` and declares an instance under the entry points `litmus.exporters`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from django import forms

from accounts.doors import at_door
from accounts.refusals import Refused
from accounts.sql import execute
from adjudication.exporting.forms import JUDGED, CampaignForm, Choices, ExportForm
from adjudication.exporting.streams import parameters, pieces
from annotation.kind import Judged
from annotation.models import Campaign, Criterion
from corpus.models import Collection

FATAL, WARNING = "fatal", "warning"
GOLD = "gold"  # of an evaluation, which has its own names for the options of its file
NOWHERE = "nowhere"  # where findings are only listed
GOLD_OPTIONS = {"level": "unit", "grades": "grade"}
# Sections of the page.
JUDGMENTS, QUESTIONS, CONTEXTS, TRAINING = "judgments", "questions", "contexts", "training"
NDJSON = "application/x-ndjson; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
CSV = "text/csv; charset=utf-8"
ZIP = "application/zip"

Files = Iterator[tuple[str, Iterator[bytes]]]


@dataclass(frozen=True)
class Finding:
    """One thing found. `code` is stable; `fact` says what and how often; `see` names a queue filter.

    `advice` is for the person at the screen: it never stands in a file that is published. `about` are the names that
    `fact` is about: with code and count they are what was found, whatever the words for it.
    """

    severity: str
    code: str
    fact: str
    count: int = 0
    see: str = ""
    advice: str = ""
    about: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What was found and what to do, as pages, commands and REST say it."""
        return f"{self.fact} {self.advice}".strip()

    @property
    def is_fatal(self) -> bool:
        return self.severity == FATAL


@dataclass(frozen=True)
class Options:
    """One requested export: `values` are those of its form, `words` those that somebody typed.

    `campaign` and `criterion` are set where the file is about what one campaign judged. `asked_for` is "" for the file
    itself, or GOLD or NOWHERE: how its findings may advise options.
    """

    collection: Collection
    exporter: "Exporter"
    campaign: Campaign | None = None
    criterion: Criterion | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)
    asked_for: str = ""

    def advise(self, first: str, *options: tuple[str, str]) -> str:
        """A sentence: do this, or ask for one of these options with these values, as far as they are there."""
        ways = [first, *filter(None, (self._way(name, value) for name, value in options))]
        ways = [way for way in ways if way]
        if not ways:
            return ""
        text = ", or ".join(filter(None, [", ".join(ways[:-1]), ways[-1]]))
        return f"{text[0].upper()}{text[1:]}."

    def _way(self, name: str, value: str) -> str:
        """How the option is asked for at the present door, "" where it is not there."""
        choice = self.exporter.form.base_fields.get(name)
        if self.asked_for == NOWHERE or choice is None:
            return ""
        if isinstance(choice, forms.ChoiceField) and not choice.valid_value(value):
            return ""
        if self.asked_for == GOLD:
            return f"ask for a gold with ;{GOLD_OPTIONS.get(name, name)}={value}"
        words = (
            dict(cast(Choices, choice.choices)).get(value, value) if isinstance(choice, forms.ChoiceField) else value
        )
        flag = f"--{name.replace('_', '-')}"
        is_switch = isinstance(choice, forms.BooleanField)
        return at_door(
            page=f"choose “{choice.label}”" if is_switch else f"choose “{words}” for “{choice.label}”",
            rest=f"ask with {name}={value}",
            command=f"add {flag}" if is_switch else f"add {flag} {value}",
        )

    def __getitem__(self, option: str) -> Any:
        """The option's value, None where this export has no such option."""
        return self.values.get(option)

    @property
    def level(self) -> str:
        return self["level"] or "query"

    @property
    def skips(self) -> bool:
        return self["unresolved"] == "skip"

    @property
    def sums(self) -> bool:
        """Whether its values are documents' scores over all aspects of a query or sub-query, or are summed to them."""
        return self.campaign is not None and self.exporter.is_summed(self.level)

    @property
    def judged_only(self) -> bool:
        """Whether documents are scored over their judged aspects alone; then the file goes out with a comment file."""
        return self["aspects"] == JUDGED and self.sums

    @property
    def uses_verdicts(self) -> bool:
        """Labels by annotator need no verdicts."""
        return self.exporter.verdicts and not self["annotators"]

    @property
    def base_name(self) -> str:
        """The name of the file itself."""
        return "-".join(filter(None, self.exporter.stem(self))) + f".{self.exporter.suffix}"


class Reader:
    """Reads for findings, each done once: exports that are shown together share one memo."""

    def __init__(self, options: Options, memo: dict[Any, Any] | None = None) -> None:
        self.options = options
        self.memo: dict[Any, Any] = {} if memo is None else memo
        self._named: dict[str, Any] = {}

    def __call__(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a statement, whose named parameters are those of `streams.parameters`."""
        self._named = self._named or parameters(self.options, self.memo)
        key = (statement, *(value for name, value in self._named.items() if f"%({name})s" in statement))
        if key not in self.memo:
            self.memo[key] = execute(statement, self._named)
        return list(self.memo[key])

    def one(self, statement: str, names: str) -> dict[str, Any]:
        """The single row of a statement, its columns by name."""
        return dict(zip(names.split(), self(statement)[0], strict=True))


class Exporter(ABC):
    """One export. Subclasses say what it is called and write `pieces` (bytes), or `lines` as a TextExporter.

    `name` is the word in addresses and on the command line; where several exports share it, the level of topics that
    each writes follows after a colon (`qrels:paragraph`). `form` has its options.
    """

    name: str
    label: str
    suffix: str  # with which its file names end
    media_type: str = TEXT
    about: str = ""
    section: str = JUDGMENTS
    form: type[ExportForm] = ExportForm
    judged: Judged | None = None  # what campaigns judge that it is about; None for any
    verdicts: ClassVar[bool] = False  # whether its values are verdicts on documents
    adds_up: ClassVar[bool] = False  # whether its readers add up the values of aspects, so that none can be left out
    labels: ClassVar[bool] = True  # whether it is made of labels, so that who still has to judge them may not take it

    nothing: str = "It would be empty."  # why it is refused where no finding says why it is empty
    unpacks: ClassVar[bool] = False  # whether the command writes the archive's files to a folder
    anyway: ClassVar[Mapping[str, str]] = {}  # {option of other exports: the sentence that this one does so anyway}
    by_suffix: ClassVar[Mapping[str, str]] = {}  # {suffix of the command's file: export that is written instead}

    @property
    def format(self) -> str:
        return self.name.partition(":")[0]

    @property
    def fixed_level(self) -> str:
        """The level of topics it is for, "" for any."""
        return self.name.partition(":")[2]

    @property
    def short(self) -> str:
        """The label in its section of the page."""
        return self.label

    def options(self, collection: Collection, values: Mapping[str, Any]) -> Options:
        """The options with what they name looked up. Errors: Refused for what does not exist or does not go."""
        return Options(collection, self, values=values)

    def takes(self, campaign: Campaign) -> bool:
        """Whether it can be about this campaign."""
        return self.judged in (None, campaign.kind_object.judges)

    def is_summed(self, level: str) -> bool:
        """Whether its file holds scores of documents over all aspects of a query or sub-query."""
        return False

    def campaigns(self, options: Options) -> Iterable[Campaign]:
        """Whose labels the file is made of: that decides who may take it. All campaigns, unless it is about one."""
        if not self.labels:
            return []
        return [options.campaign] if options.campaign else options.collection.campaigns.counted()

    def findings(self, options: Options, read: Reader) -> list[Finding]:
        """Problems of the data: a fatal finding refuses the export, a warning is reported with it."""
        return []

    def stem(self, options: Options) -> list[str]:
        """The parts of the file name before its suffix."""
        return [options.collection.slug, options.campaign.slug if options.campaign else ""]

    @abstractmethod
    def pieces(self, options: Options) -> Iterator[bytes]:
        """The file as it is sent, streamed; findings are read before."""

    def files(self, options: Options) -> Files:
        """The file by its name, or the members of what is an archive anyway."""
        return iter([(options.base_name, self.pieces(options))])

    def about_file(self, options: Options) -> str:
        """What is in this very file, where `about` speaks of all that can be asked for."""
        return self.about

    def card(self, options: Options, findings: Iterable[Finding]) -> dict[str, str]:
        """Options to ask for on the export's card, with a value to suggest for each."""
        return {}

    def remember(self, options: Options) -> None:  # noqa: B027
        """Store options as the default of the next time."""


class TextExporter(Exporter):
    """An export that is one file of text."""

    @abstractmethod
    def lines(self, options: Options) -> Iterator[str]:
        """The file, streamed."""

    def pieces(self, options: Options) -> Iterator[bytes]:
        return pieces(self.lines(options))


class CampaignExporter(Exporter):
    """An export about what one campaign judged."""

    form = CampaignForm

    def options(self, collection: Collection, values: Mapping[str, Any]) -> Options:
        campaign = find_campaign(collection, values["campaign"])
        if not self.takes(campaign):
            raise Refused(f"{campaign} is of kind {campaign.kind}: it judges no documents, so there are no qrels.")
        return Options(collection, self, campaign, find_criterion(campaign, values["criterion"]), values)


def find_campaign(collection: Collection, slug: str) -> Campaign:
    """The campaign of that slug or name, without one the only campaign. Refused, listing what there is."""
    campaigns = sorted(collection.campaigns.all(), key=lambda campaign: campaign.slug)  # may be read beforehand
    for campaign in campaigns:
        campaign.collection = collection
        if slug in (campaign.slug, campaign.name):
            return campaign
    known = ", ".join(campaign.slug for campaign in campaigns)
    if slug:
        raise Refused(f"{collection.slug} has no campaign “{slug}”. " + (f"It has: {known}." if known else ""))
    campaigns = [campaign for campaign in campaigns if not campaign.kind_object.no_criteria] or campaigns
    if len(campaigns) != 1:
        raise Refused(f"Say which campaign: {known}." if known else "No campaign yet, so no judgments.")
    return campaigns[0]


def find_criterion(campaign: Campaign, key: str) -> Criterion:
    """The criterion of that key, without one the first. Refused, listing what there is."""
    criteria = list(campaign.criteria.all())
    for criterion in criteria:
        if not key or criterion.key == key:
            return criterion
    if not criteria:
        raise Refused(f"{campaign} has no criteria, so it has no labels to write.")
    known = ", ".join(criterion.key for criterion in criteria)
    raise Refused(f"{campaign} has no criterion “{key}”. It has: {known}.")
