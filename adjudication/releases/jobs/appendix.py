"""The datasheet and the reviewer's appendix: the questions that venues ask, answered from what happened."""

from collections.abc import Iterable

from adjudication.releases.jobs.describing import title_of
from adjudication.releases.reads import sentences
from adjudication.releases.reads.facts import Facts, platform
from adjudication.releases.reads.sentences import APART
from adjudication.releases.reads.statement import NOT_STATED
from annotation.models import Campaign


def datasheet(facts: Facts, *, anonymous: bool) -> str:
    """“Datasheets for Datasets” (Gebru et al., 2021), by its sections."""
    answers = facts.answers
    sections = {
        "Motivation": (
            ("For what purpose was the data set created?", answers.get("description", NOT_STATED)),
            ("Who created it?", "Anonymous authors" if anonymous else answers.get("creators", NOT_STATED)),
        ),
        "Composition": (
            ("What do the instances represent?", _composition(facts)),
            ("Is any information missing?", sentences.missing(facts, APART)),
            ("Are there errors, noise or redundancies?", sentences.analysis(facts, APART)),
            ("Does it identify people?", answers.get("personalSensitiveInformation", NOT_STATED)),
        ),
        "Collection process": (
            (
                "How was the data acquired?",
                f"{sentences.raw_data(facts, anonymous=anonymous)} {sentences.pooled(facts)}",
            ),
            ("Who was involved, and how were they compensated?", f"{_recruitment(facts)} {_hours(facts)}"),
            ("Over what time?", _timeframe(facts)),
            ("Was there an ethical review?", answers.get("ethics", NOT_STATED)),
            ("Did the people consent?", answers.get("consent", NOT_STATED)),
        ),
        "Preprocessing, cleaning, labelling": (
            ("How was it labelled?", sentences.protocol(facts, APART)),
            ("Which software was used?", f"{platform()}, an open source application."),
        ),
        "Uses": (
            ("What may it be used for?", answers.get("dataUseCases", NOT_STATED)),
            ("What could harm?", answers.get("dataSocialImpact", NOT_STATED)),
        ),
        "Distribution": (
            ("Under which licence?", facts.recipe.collection.licence.strip() or NOT_STATED),
            ("When?", f"Release {facts.release.name}, {facts.date}."),
        ),
        "Maintenance": (("Who maintains it?", answers.get("dataReleaseMaintenancePlan", NOT_STATED)),),
    }
    lines = [f"# Datasheet: {title_of(facts, anonymous=anonymous)}"]
    for heading, questions in sections.items():
        lines += ["", f"## {heading}"]
        for question, answer in questions:
            lines += ["", f"**{question}**", "", answer]
    return _plain(facts, lines, keep=() if anonymous else (answers.get("creators", ""),))


def appendix(facts: Facts, *, anonymous: bool) -> str:
    """ARR's checklist B and D1-D5 and the questions of NeurIPS, answered from data."""
    answers = facts.answers
    questions = (
        ("B1 Creators of what is used", sentences.raw_data(facts, anonymous=anonymous, between=APART)),
        ("B2 Licence and terms", facts.recipe.collection.licence.strip() or NOT_STATED),
        ("B3 Intended use", answers.get("dataUseCases", NOT_STATED)),
        ("B4 Personal data", answers.get("personalSensitiveInformation", NOT_STATED)),
        ("B5 Documentation", "README.md, DATASHEET.md and croissant.json (Croissant 1.1 with RAI and PROV)."),
        ("B6 Statistics", _composition(facts)),
        ("D1 Instructions", _instructions(facts)),
        ("D2 Recruitment and payment", _recruitment(facts)),
        ("D3 Consent", answers.get("consent", "Not collected.")),
        ("D4 Ethics review", answers.get("ethics", "Not collected.")),
        ("D5 Background of annotators", answers.get("annotatorDemographics", "Not collected.")),
        ("Hours", _hours(facts)),
        ("Agreement, votes, decisions", sentences.analysis(facts, APART)),
        ("Machines", sentences.machines(facts, APART)),
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
        lines += ["", f"## {heading}", "", answer]
    return _plain(facts, lines)


def _plain(facts: Facts, lines: Iterable[str], keep: Iterable[str] = ()) -> str:
    """The lines as text, without names but where they are kept as stated."""
    stated = {line for text in keep for line in text.splitlines() if line}
    return "\n".join(line if line in stated else facts.people.without_names(line) for line in lines).rstrip() + "\n"


def _composition(facts: Facts) -> str:
    return (
        f"{sentences.count(facts.documents, 'document')}, {sentences.count(facts.topics, 'topic')},"
        f" {sentences.count(facts.pooled, 'pooled pair')}.{APART}{sentences.per_item(facts, APART)}"
    )


def _recruitment(facts: Facts) -> str:
    pay = facts.answers.get("payment", "Not collected.")
    return f"Recruitment: {facts.answers.get('recruitment', 'Not collected.')} Pay: {pay}"


def _hours(facts: Facts) -> str:
    known = [f"“{one.campaign.name}” {one.hours:.1f}" for one in facts.campaigns if one.hours is not None]
    return f"Hours of active judging by campaign: {', '.join(known)}." if known else "Hours: not collected."


def _timeframe(facts: Facts) -> str:
    found = sentences.timeframe(facts)
    return f"From {found[0]} to {found[1]}." if found else NOT_STATED


def _instructions(facts: Facts) -> str:
    """The newest guideline of each campaign in full, and a picture of its screen."""
    found, printed = [], dict[str, str]()
    for one in facts.campaigns:
        newest = one.campaign.guidelines.order_by("-version").first()
        name = f"Campaign “{one.campaign.name}”"
        if newest is None:
            found.append(f"{name} had no guideline.")
        elif newest.body in printed:
            found.append(f"{name}, version {newest.version}: the same text as in campaign “{printed[newest.body]}”.")
        else:
            printed[newest.body] = one.campaign.name
            found += [f"{name}, version {newest.version} as annotators read it:", ""]
            found += [f"> {line}".rstrip() for line in newest.body.splitlines()]
        found += ["", *_picture(facts, one.campaign), ""]
    return "\n".join(found).rstrip() or "There was no campaign."


def _picture(facts: Facts, campaign: Campaign) -> Iterable[str]:
    """The picture of its screen, or why there is none."""
    name = facts.people.slugs[campaign.pk]
    if path := facts.pictures.paths.get(name):
        return (f"![The screen of campaign “{campaign.name}” as annotators saw it before their first answer]({path})",)
    return (facts.pictures.missing.get(name, ""),)


def _reproduction(facts: Facts) -> str:
    seeds = ", ".join(f"{facts.people.slugs[one.campaign.pk]} {one.campaign.seed}" for one in facts.campaigns)
    return (
        f"Made with {platform()}; seeds of assignment: {seeds or 'none'}. Litmus checks every hash of a copy"
        " (command verify_release) and makes the release again where nothing has changed."
    )
