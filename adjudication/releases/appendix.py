"""The datasheet and the reviewer's appendix: the questions that venues ask, answered from what happened."""

from collections.abc import Iterable

from adjudication.releases import sentences
from adjudication.releases.campaigns import CampaignFacts, released_guidelines, shown_guidelines
from adjudication.releases.croissant import ANONYMOUS
from adjudication.releases.describing import licence_of, title_of
from adjudication.releases.facts import Facts, platform
from adjudication.releases.sentences import APART
from adjudication.releases.statement import NOT_STATED

NOTHING = "Nothing is stored about this."


def datasheet(facts: Facts, *, anonymous: bool) -> str:
    """“Datasheets for Datasets” (Gebru et al., 2021), by its sections."""
    answers, described = facts.answers, facts.recipe.collection.description.strip()
    sections = {
        "Motivation": (
            ("For what purpose was the data set created?", answers.get("description") or described or NOT_STATED),
            ("Who created it?", ANONYMOUS if anonymous else answers.get("creators", NOT_STATED)),
        ),
        "Composition": (
            ("What do the instances represent?", _composition(facts)),
            ("Is any information missing?", sentences.missing(facts, APART)),
            ("Are there errors, noise or redundancies?", sentences.analysis(facts, APART)),
            ("Does it identify people?", answers.get("personalSensitiveInformation", NOT_STATED)),
        ),
        "Collection process": (
            ("How was the data acquired?", _acquired(facts, anonymous=anonymous)),
            ("How were runs made?", sentences.runs(facts, APART)),
            ("Who was involved, and how were they compensated?", f"{_recruitment(facts)} {_hours(facts)}".strip()),
            ("Over what time?", _timeframe(facts)),
            ("Was there an ethical review?", answers.get("ethics", NOT_STATED)),
            ("Did the people consent?", _asked(facts, "consent", facts.consent)),
        ),
        "Preprocessing, cleaning, labelling": (
            ("How was it labelled?", sentences.protocol(facts, APART)),
            ("What did machines do?", sentences.by_machines(facts, APART)),
            ("Which software was used?", _software(facts)),
        ),
        "Uses": (
            ("What may it be used for?", answers.get("dataUseCases", NOT_STATED)),
            ("What could harm?", answers.get("dataSocialImpact", NOT_STATED)),
        ),
        "Distribution": (
            ("Under which licence?", licence_of(facts) or NOT_STATED),
            ("When?", f"Release {facts.release.name}, {facts.date}."),
        ),
        "Maintenance": (("Who maintains it?", answers.get("dataReleaseMaintenancePlan", NOT_STATED)),),
    }
    lines = [f"# Datasheet: {title_of(facts, anonymous=anonymous)}"]
    for heading, questions in sections.items():
        lines += ["", f"## {heading}"]
        for question, answer in questions:
            lines += ["", f"**{question}**", "", answer or NOTHING]
    return _plain(facts, lines, keep=() if anonymous else (answers.get("creators", ""),))


def appendix(facts: Facts, *, anonymous: bool) -> str:
    """ARR's checklist B and D1-D5 and the questions of NeurIPS, answered from data."""
    answers = facts.answers
    questions = (
        ("B1 Creators of what is used", sentences.raw_data(facts, anonymous=anonymous, between=APART)),
        ("B2 Licence and terms", licence_of(facts) or NOT_STATED),
        ("B3 Intended use", answers.get("dataUseCases", NOT_STATED)),
        ("B4 Personal data", answers.get("personalSensitiveInformation", NOT_STATED)),
        ("B5 Documentation", "README.md, DATASHEET.md and croissant.json (Croissant 1.1 with RAI and PROV)."),
        ("B6 Statistics", _composition(facts)),
        ("D1 Instructions", _instructions(facts)),
        ("D2 Recruitment and payment", _recruitment(facts)),
        ("D3 Consent", _asked(facts, "consent", facts.consent)),
        ("D4 Ethics review", answers.get("ethics", NOT_STATED)),
        ("D5 Background of annotators", _asked(facts, "annotatorDemographics", facts.background)),
        ("Hours and pay", APART.join(filter(None, (_hours(facts), _pay(facts))))),
        ("Cost of people and machines", _costs(facts)),
        ("Known answers", _known_answers(facts)),
        (
            "Quality by person",
            _quality(facts),
        ),
        ("Agreement, votes, decisions", sentences.analysis(facts, APART)),
        ("Questions written for the collection", sentences.questions(facts, APART)),
        ("Machines", sentences.by_machines(facts, APART)),
        ("Audits of machine labels", _audits(facts)),
        ("Runs", sentences.runs(facts, APART)),
        ("Prompts", _prompts(facts)),
        ("Missing", sentences.missing(facts, APART)),
        ("Limitations", sentences.stated(facts, "dataLimitations", sentences.limitations(facts))),
        ("Social impact", answers.get("dataSocialImpact", NOT_STATED)),
        ("Maintenance", answers.get("dataReleaseMaintenancePlan", NOT_STATED)),
        ("Reproduction", _reproduction(facts)),
    )
    lines = [
        f"# Appendix for reviewers: {title_of(facts, anonymous=anonymous)}",
        "",
        "B and D are the sections of the responsible research checklist of ACL Rolling Review.",
    ]
    for heading, answer in questions:
        lines += ["", f"## {heading}", "", answer or NOTHING]
    return _plain(facts, lines)


def _plain(facts: Facts, lines: Iterable[str], keep: Iterable[str] = ()) -> str:
    """The lines as text, without names but where they are kept as stated."""
    stated = {line for text in keep for line in text.splitlines() if line}
    return "\n".join(line if line in stated else facts.people.without_names(line) for line in lines).rstrip() + "\n"


def _asked(facts: Facts, key: str, measured: str) -> str:
    """What people stated under this question, and what was asked in Litmus."""
    return APART.join(filter(None, (facts.answers.get(key), measured))) or NOT_STATED


def _composition(facts: Facts) -> str:
    return f"{sentences.holds(facts)}{APART}{sentences.per_item(facts, APART)}".strip()


def _acquired(facts: Facts, *, anonymous: bool) -> str:
    raw = sentences.raw_data(facts, anonymous=anonymous, between=APART)
    return APART.join(filter(None, (raw, sentences.pooled(facts), sentences.questions(facts, APART))))


def _recruitment(facts: Facts) -> str:
    known = facts.answers.get
    return f"Recruitment: {known('recruitment', NOT_STATED)} Pay: {known('payment', NOT_STATED)}"


def _hours(facts: Facts) -> str:
    """The time that people were active on the labelling screen; "" where nobody was timed."""
    known = [f"“{one.campaign.name}” {one.hours:.2f}" for one in facts.campaigns if one.hours is not None]
    return f"Hours of active judging in Litmus by campaign: {', '.join(known)}." if known else ""


def _pay(facts: Facts) -> str:
    """What people earned by the rates set in Litmus; "" where none is set."""
    known = [f"“{one.campaign.name}” {one.pay}" for one in facts.campaigns if one.pay]
    return f"Pay by the rates set in Litmus, by campaign: {'; '.join(known)}" if known else ""


def _costs(facts: Facts) -> str:
    """What an answer cost, of people and of machines, with what is not known."""
    return APART.join(f"“{one.campaign.name}” {one.costs}" for one in facts.campaigns if one.costs)


def _known_answers(facts: Facts) -> str:
    """What people did in training and qualification, and how they answered hidden gold; "" where there was none."""
    hidden = (f"Campaign “{one.campaign.name}”: {one.gold}" for one in facts.campaigns if one.gold)
    return APART.join((*facts.practice, *hidden))


def _audits(facts: Facts) -> str:
    """What people would have said of all that machines labelled; "" where no sample was judged."""
    found = (f"Campaign “{one.campaign.name}”. {one.audits}" for one in facts.campaigns if one.audits)
    return APART.join(found)


def _quality(facts: Facts) -> str:
    """How carefully people judged, without names; "" where it was not counted."""
    return " ".join(f"“{one.campaign.name}” {one.quality}" for one in facts.campaigns if one.quality)


def _timeframe(facts: Facts) -> str:
    text = sentences.periods(facts) or NOT_STATED
    if any(one.imported for one in facts.campaigns):
        text += " When imported labels were given is known only where their file says so."
    return text


def _software(facts: Facts) -> str:
    """What people did in Litmus, and what the release was made with."""
    found = []
    if any(one.labels > one.imported for one in facts.campaigns):
        imported = any(one.imported for one in facts.campaigns)
        found.append(
            "Some labels were given in Litmus, others were imported." if imported else "Labels were given in Litmus."
        )
    if any(one.finished for one in facts.campaigns):
        found.append("Papers were annotated in Litmus.")
    return " ".join([*found, f"The release was made with {platform()}."])


def _instructions(facts: Facts) -> str:
    """The newest guideline that people were shown in each campaign, in full, and the guideline for authors."""
    found, printed = [], dict[str, str]()
    for one in facts.campaigns:
        found += [*_guideline(one, facts.people.slugs[one.campaign.pk], printed), ""]
    for call in facts.author_calls:
        found += [f"Call “{call['name']}”, guideline for authors:", ""]
        found += [*_cited(call["guideline"]), ""]
    return "\n".join(found).rstrip() or "There was no campaign."


def _prompts(facts: Facts) -> str:
    """What language models were asked for questions and for orders of documents, each prompt once, in full."""
    prompts = [run["prompt"] for run in (*facts.question_runs, *facts.runs) if run.get("prompt")]
    found = {
        one["sha256"]: [
            f"“{one['name']}”, version {one['version']} (sha256 {one['sha256']}):",
            "",
            *_cited(one["body"]),
        ]
        for one in prompts
    }
    return APART.join("\n".join(lines) for lines in found.values())


def _guideline(one: CampaignFacts, slug: str, printed: dict[str, str]) -> Iterable[str]:
    name, shown = f"Campaign “{one.campaign.name}”", shown_guidelines(one.campaign)
    released = released_guidelines(one)
    if not shown:
        written = f" Its guideline is in campaigns/{slug}/; Litmus did not note that it was shown." if released else ""
        return [f"{name}: nothing is known of instructions that were shown to those who judged.{written}"]
    newest = shown[-1]
    if newest.body in printed:
        return [f"{name}, version {newest.version}: the same text as in campaign “{printed[newest.body]}”."]
    printed[newest.body] = one.campaign.name
    return [f"{name}, guideline, version {newest.version}:", "", *_cited(newest.body)]


def _cited(text: str) -> Iterable[str]:
    return [f"> {line}".rstrip() for line in text.splitlines()]


def _reproduction(facts: Facts) -> str:
    drawn = [one.campaign for one in facts.campaigns if one.judged_here]
    seeds = ", ".join(f"{facts.people.slugs[one.pk]} {one.seed}" for one in drawn)
    return (
        f"Made with {platform()}.{f' Seeds of assignment: {seeds}.' if seeds else ''} The command verify_release checks"
        " every hash of a copy; on the server that holds the collection it makes the release again where nothing has"
        " changed."
    )
