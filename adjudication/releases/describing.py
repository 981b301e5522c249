"""The files that describe a release: card, licence, citation, DataCite, changes. No name in the anonymous ones."""

import json
from collections.abc import Iterable
from typing import Any

from adjudication.releases import sentences
from adjudication.releases.croissant import ANONYMOUS, creators, description_of
from adjudication.releases.facts import Facts, platform
from adjudication.releases.sentences import APART
from adjudication.releases.statement import NOT_STATED, creators_in, unanswered

# SPDX's identifiers of licences as people write them; the Hub has the same in lower case. Others have no place in
# CITATION.cff.
LICENCES = {
    "cc by 4.0": "CC-BY-4.0",
    "cc-by 4.0": "CC-BY-4.0",
    "cc by-sa 4.0": "CC-BY-SA-4.0",
    "cc by-nc 4.0": "CC-BY-NC-4.0",
    "cc0": "CC0-1.0",
    "cc0 1.0": "CC0-1.0",
    "apache 2.0": "Apache-2.0",
    "mit": "MIT",
}
UNKNOWN = "(:unav)"  # DataCite's word for what is not known
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def title_of(facts: Facts, *, anonymous: bool) -> str:
    """The collection's title; names of its people are taken out where nobody is to be known."""
    return facts.people.without_names(facts.title) if anonymous else facts.title


def licence(facts: Facts) -> str:
    """The licence as it is stated in the collection's settings."""
    found = licence_of(facts)
    if not found:
        return "No licence was stated.\n"
    return f"{found}\n\nThis licence is stated for the collection. Imported material may have other terms.\n"


def licence_of(facts: Facts) -> str:
    """The licence as stated, "" for none."""
    return facts.recipe.collection.licence.strip()


def citation(facts: Facts, *, anonymous: bool) -> str:
    """CITATION.cff 1.2.0; "" where nobody stated who made the collection: its format demands authors."""
    lines = ["cff-version: 1.2.0", "type: dataset", "message: Please cite this data set as follows."]
    lines += [f"title: {_quoted(title_of(facts, anonymous=anonymous))}", f"version: {_quoted(facts.release.name)}"]
    lines.append(f"date-released: {_quoted(facts.date)}")
    if known := LICENCES.get(licence_of(facts).lower()):
        lines.append(f"license: {known}")
    lines.append("authors:")
    named = [(ANONYMOUS, "")] if anonymous else creators_in(facts.answers)
    if not named:
        return ""
    for name, orcid in named:
        lines.append(f"  - name: {_quoted(name)}")
        if orcid:
            lines.append(f"    orcid: {_quoted(f'https://orcid.org/{orcid}')}")
    if not anonymous and facts.answers.get("url"):
        lines.append(f"url: {_quoted(facts.answers['url'])}")
    return "\n".join(lines) + "\n"


def datacite(facts: Facts, *, anonymous: bool) -> str:
    """Metadata for a DOI, in DataCite's JSON (schema 4.5). Makers and publisher, which it demands, are its own word for
    unknown where nobody stated them."""
    answers = {} if anonymous else facts.answers
    found: dict[str, Any] = {
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Test collection"},
        "titles": [{"title": title_of(facts, anonymous=anonymous)}],
        "creators": [{"name": each["name"]} for each in creators(facts, anonymous=anonymous)] or [{"name": UNKNOWN}],
        "publisher": {"name": answers.get("publisher") or UNKNOWN},
        "publicationYear": facts.date[:4],
        "dates": [{"date": facts.date, "dateType": "Issued"}],
        "version": facts.release.name,
        "descriptions": [{"description": description_of(facts), "descriptionType": "Abstract"}],
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }
    if languages := facts.answers.get("languages", "").split():
        found["language"] = languages[0]
    if licence_of(facts):
        found["rightsList"] = [{"rights": licence_of(facts)}]
    if answers.get("url"):
        found["url"] = answers["url"]
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def changelog(facts: Facts) -> str:
    """What changed since the release before, and which releases there were."""
    lines = ["# Changes", "", f"## {facts.release.name} ({facts.date})", ""]
    lines += [f"- {change}" for change in facts.changes] or ["- First release."]
    for release in facts.earlier:
        lines += ["", f"## {release.name} ({release.requested_at.date().isoformat()})", ""]
        lines += [f"- {change}" for change in release.summary.get("changes", [])] or ["- First release."]
    return "\n".join(lines) + "\n"


def card(facts: Facts, *, anonymous: bool) -> str:
    """README.md: the dataset card of the Hugging Face hub, YAML and sections."""
    title = title_of(facts, anonymous=anonymous)
    named = ", ".join(name for name, _ in creators_in(facts.answers)) or NOT_STATED
    body = [
        f"# {title}",
        "",
        f"Release **{facts.release.name}** of {facts.date}, made with {platform()}.",
        *_notices(facts),
        "",
        "## Dataset description",
        "",
        description_of(facts),
        "",
        f"- **Curated by:** {ANONYMOUS if anonymous else named}",
        f"- **Language:** {facts.answers.get('languages') or NOT_STATED}",
        f"- **Licence:** {licence_of(facts) or NOT_STATED}",
        f"- **Size:** {sentences.holds(facts)}",
        *_sections(facts, anonymous=anonymous),
        "",
        "## Files",
        "",
        "`manifest.json` lists every file with its size, rows and SHA-256. `lines.jsonl` explains each pair as"
        " far as is known: where the document came from, its labels under pseudonyms, how its value was reached.",
        "",
        *_judged_sets_table(facts),
    ]
    return _yaml(facts, title) + "\n".join(body).rstrip() + "\n"


LISTED = "\n- "


def _sections(facts: Facts, *, anonymous: bool) -> Iterable[str]:
    files = sentences.raw_data(facts, anonymous=anonymous, between=LISTED)
    recruited = f"Recruitment: {sentences.stated(facts, 'recruitment')}"
    found = {
        "Uses": sentences.stated(facts, "dataUseCases"),
        "Source data": f"- {files}{APART}{sentences.pooled(facts)}".strip(),
        "Questions": sentences.questions(facts, APART),
        "Annotation process": sentences.protocol(facts, APART),
        "Annotators": f"{sentences.per_item(facts, APART)}{APART}{recruited}".strip(),
        "Agreement and decisions": sentences.analysis(facts, APART),
        "Machines": sentences.machines(facts, APART),
        "Runs": f"- {sentences.runs(facts, LISTED)}" if facts.runs else "",
        "What is missing": sentences.missing(facts, APART),
        "Personal and sensitive information": sentences.stated(facts, "personalSensitiveInformation"),
        "Bias, risks and limitations": "\n".join(
            [
                f"- **Biases:** {sentences.stated(facts, 'dataBiases')}",
                f"- **Limitations:** {sentences.stated(facts, 'dataLimitations', sentences.limitations(facts))}",
                f"- **Social impact:** {sentences.stated(facts, 'dataSocialImpact')}",
            ]
        ),
        "Maintenance": sentences.stated(facts, "dataReleaseMaintenancePlan"),
    }
    if not anonymous:
        found["Citation"] = facts.answers.get("citation") or _cited(facts)
        if facts.contributors:
            written = "Authors who wrote questions and want to be named"
            found["Acknowledgements"] = f"{written}: {', '.join(facts.contributors)}."
        found["Contact"] = facts.answers.get("contact") or NOT_STATED
    for heading, text in found.items():
        if not text:
            continue  # nothing happened that it would speak of
        keep = heading in ("Citation", "Acknowledgements", "Contact")  # who is named there wants to be
        yield from ("", f"## {heading}", "", text if keep else facts.people.without_names(text))


def _cited(facts: Facts) -> str:
    return "See CITATION.cff." if creators_in(facts.answers) else NOT_STATED


def _notices(facts: Facts) -> list[str]:
    """What a reader has to know first: why it was forced, what people left unanswered."""
    found = []
    if open_ones := [str(one["text"]) for one in facts.findings if one["blocking"]]:
        text = facts.people.without_names
        found += ["", "> **Released with open findings.** When the release was frozen the check list found:", ">"]
        found += [f"> - {_in_one_line(text(one))}" for one in open_ones]
        found += [">", f"> It was released anyway: {_in_one_line(text(facts.release.force_reason))}"]
    described = {"description": facts.recipe.collection.description.strip()}  # printed where nobody answered
    if missing := unanswered({**described, **facts.answers}):
        found += ["", f"> Not stated by its makers: {', '.join(one.label.lower() for one in missing)}."]
    return found


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _judged_sets_table(facts: Facts) -> list[str]:
    if not facts.recipe.judged_sets:
        return []
    rows = [
        f"| `{gold.name}` | {facts.people.without_names(gold.about)} | `data/{gold.name}/` | `beir/{gold.name}/` |"
        for gold in facts.recipe.judged_sets
    ]
    return ["| query set | what it is | parquet (MTEB) | BEIR |", "|---|---|---|---|", *rows]


def _yaml(facts: Facts, title: str) -> str:
    """The card's head, without what is not known. Strings are quoted as JSON, which YAML reads."""
    languages = facts.answers.get("languages", "").split()
    multilinguality = "multilingual" if len(languages) > 1 else "monolingual"
    head: dict[str, Any] = {
        "language": languages,
        "license": _hub_licence(facts),
        "license_name": licence_of(facts) if _hub_licence(facts) == "other" else "",
        "annotations_creators": _annotations_creators(facts),
        "language_creators": _language_creators(facts),
        "multilinguality": [multilinguality] if languages else [],
        "size_categories": [next((name for most, name in SIZES if facts.documents < most), "1M<n<10M")],
        "task_categories": ["text-retrieval"],
        "task_ids": ["document-retrieval"],
        "pretty_name": title,
        "tags": ["information-retrieval", "test-collection"],
        "configs": _configs(facts),
    }
    return "---\n" + "".join(f"{key}: {_quoted(each)}\n" for key, each in head.items() if each) + "---\n\n"


def _annotations_creators(facts: Facts) -> list[str]:
    """The Hub's words for who labelled; [] where people did here and nobody stated who they are."""
    known = facts.answers.get("annotatorKind", "")
    if not known and any(one.judged_here for one in facts.campaigns):
        return []
    found = {
        known: any(one.judged_here for one in facts.campaigns),
        "found": any(one.imported for one in facts.campaigns) or any(run.kind == "papers" for run in facts.imports),
        "machine-generated": facts.has_machine_labels,
    }
    return [name for name, holds in found.items() if holds]


def _language_creators(facts: Facts) -> list[str]:
    """The Hub's words for who wrote the texts; [] where that is not known of some (annotators who reworded, say)."""
    if facts.unknown_topics or facts.rewritten or not facts.imports:
        return []
    return ["found", *(["machine-generated"] if facts.generated else [])]


def _configs(facts: Facts) -> list[dict[str, Any]]:
    """The first judged set has MTEB's plain names; those of others begin with their own, the corpus among them, as
    MTEB's loader asks for them."""
    found = []
    for place, gold in enumerate(facts.recipe.judged_sets):
        lead = "" if place == 0 else f"{gold.name}-"
        found.append(_config(f"{lead}corpus", "corpus", "data/corpus/corpus.parquet"))
        found += [
            _config(f"{lead}{name}", gold.split, f"data/{gold.name}/{name}.parquet")
            for name in ("queries", "qrels", "top_ranked")
        ]
    return found


def _config(name: str, split: str, path: str) -> dict[str, Any]:
    return {"config_name": name, "data_files": [{"split": split, "path": path}]}


def _hub_licence(facts: Facts) -> str:
    stated = licence_of(facts)
    return LICENCES.get(stated.lower(), "other" if stated else "unknown").lower()


def _quoted(value: Any) -> str:
    """The value as JSON, which YAML reads, but for characters that nobody sees: YAML refuses some of them."""
    found = json.dumps(value, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else " " for sign in found)
