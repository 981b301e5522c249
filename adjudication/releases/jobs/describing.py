"""The files that describe a release: card, licence, citation, DataCite, changes. No name in the anonymous ones."""

import json
from collections.abc import Iterable
from typing import Any

from adjudication.releases.jobs.croissant import creators, description_of
from adjudication.releases.reads import sentences
from adjudication.releases.reads.facts import Facts, platform
from adjudication.releases.reads.sentences import APART
from adjudication.releases.reads.statement import NOT_STATED, creators_in, unanswered

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
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def title_of(facts: Facts, *, anonymous: bool) -> str:
    """The collection's title; names of its people are taken out where nobody is to be known."""
    return facts.people.without_names(facts.title) if anonymous else facts.title


def licence(facts: Facts) -> str:
    """The licence as it is stated in the collection's settings."""
    found = facts.recipe.collection.licence.strip()
    if not found:
        return "No licence was stated. Nobody may copy or use these data without asking.\n"
    return (
        f"{found}\n\nThis is the licence of the judgments, topics and metadata of this release. Texts of documents and"
        " topics that were imported stay under the terms of their sources.\n"
    )


def citation(facts: Facts, *, anonymous: bool) -> str:
    """CITATION.cff 1.2.0."""
    lines = ["cff-version: 1.2.0", "type: dataset", "message: Please cite this data set as follows."]
    lines += [f"title: {_quoted(title_of(facts, anonymous=anonymous))}", f"version: {_quoted(facts.version)}"]
    lines.append(f"date-released: {_quoted(facts.date)}")
    if known := LICENCES.get(facts.recipe.collection.licence.strip().lower()):
        lines.append(f"license: {known}")
    lines.append("authors:")
    named = [] if anonymous else creators_in(facts.answers)
    for name, orcid in named:
        lines.append(f"  - name: {_quoted(name)}")
        if orcid:
            lines.append(f"    orcid: {_quoted(f'https://orcid.org/{orcid}')}")
    if not named:
        lines.append(f"  - name: {_quoted('Anonymous authors' if anonymous else 'Not stated')}")
    if not anonymous and facts.answers.get("url"):
        lines.append(f"url: {_quoted(facts.answers['url'])}")
    return "\n".join(lines) + "\n"


def datacite(facts: Facts, *, anonymous: bool) -> str:
    """Metadata for a DOI, in DataCite's JSON (schema 4.5)."""
    answers = {} if anonymous else facts.answers
    found: dict[str, Any] = {
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Test collection"},
        "titles": [{"title": title_of(facts, anonymous=anonymous)}],
        "creators": [{"name": each["name"]} for each in creators(facts, anonymous=anonymous)],
        "publisher": {"name": answers.get("publisher") or "Not stated"},
        "publicationYear": facts.date[:4],
        "dates": [{"date": facts.date, "dateType": "Issued"}],
        "version": facts.version,
        "language": facts.answers.get("languages", "en").split()[0],
        "rightsList": [{"rights": facts.recipe.collection.licence.strip() or "Not stated"}],
        "descriptions": [{"description": description_of(facts), "descriptionType": "Abstract"}],
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }
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
        f"- **Curated by:** {'Anonymous authors' if anonymous else named}",
        f"- **Language:** {facts.answers.get('languages', 'en')}",
        f"- **Licence:** {facts.recipe.collection.licence.strip() or NOT_STATED}",
        f"- **Size:** {sentences.count(facts.documents, 'document')}, {sentences.count(facts.topics, 'topic')}",
        *_sections(facts, anonymous=anonymous),
        "",
        "## Files",
        "",
        "`manifest.json` lists every file with its size, rows and SHA-256. `lines.jsonl` explains each judged pair:"
        " where the document came from, who judged it under which guideline, and how the value was decided.",
        "",
        *_judged_sets_table(facts),
    ]
    return _yaml(facts, title) + "\n".join(body).rstrip() + "\n"


LISTED = "\n- "


def _sections(facts: Facts, *, anonymous: bool) -> Iterable[str]:
    files = sentences.raw_data(facts, anonymous=anonymous, between=LISTED)
    found = {
        "Uses": sentences.stated(facts, "dataUseCases"),
        "Source data": f"- {files}{APART}{sentences.pooled(facts)}",
        "Annotation process": sentences.protocol(facts, APART),
        "Annotators": f"{sentences.per_item(facts, APART)}{APART}Recruitment: {sentences.stated(facts, 'recruitment')}",
        "Agreement and decisions": sentences.analysis(facts, APART),
        "Machines": sentences.machines(facts, APART),
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
        found["Citation"] = facts.answers.get("citation") or "See CITATION.cff."
        found["Contact"] = facts.answers.get("contact") or NOT_STATED
    for heading, text in found.items():
        keep = heading in ("Citation", "Contact")  # who is named there wants to be
        yield from ("", f"## {heading}", "", text if keep else facts.people.without_names(text))


def _notices(facts: Facts) -> list[str]:
    """What a reader has to know first: why it was forced, what people left unanswered."""
    found = []
    if open_ones := [str(one["text"]) for one in facts.findings if one["blocking"]]:
        text = facts.people.without_names
        found += ["", "> **Released with open findings.** When the release was frozen the check list found:", ">"]
        found += [f"> - {_in_one_line(text(one))}" for one in open_ones]
        found += [">", f"> It was released anyway: {_in_one_line(text(facts.release.force_reason))}"]
    if missing := unanswered(facts.answers):
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
    return ["| judged set | what it is | parquet (MTEB) | BEIR |", "|---|---|---|---|", *rows]


def _yaml(facts: Facts, title: str) -> str:
    """The card's head. Strings are quoted as JSON, which YAML reads."""
    people = any(one.labels for one in facts.campaigns)
    made = (["expert-generated"] if people else []) + (["machine-generated"] if facts.has_machine_labels else [])
    languages = facts.answers.get("languages", "en").split()
    head: dict[str, Any] = {
        "language": languages,
        "license": _hub_licence(facts),
        **({"license_name": facts.recipe.collection.licence.strip()} if _hub_licence(facts) == "other" else {}),
        "annotations_creators": made or ["no-annotation"],
        "language_creators": ["found", *(["machine-generated"] if facts.generated else [])],
        "multilinguality": ["multilingual" if len(languages) > 1 else "monolingual"],
        "size_categories": [next((name for most, name in SIZES if facts.documents < most), "1M<n<10M")],
        "source_datasets": ["original"],
        "task_categories": ["text-retrieval"],
        "task_ids": ["document-retrieval"],
        "pretty_name": title,
        "tags": ["information-retrieval", "test-collection", "scientific-literature"],
        "configs": _configs(facts),
    }
    return "---\n" + "".join(f"{key}: {_quoted(each)}\n" for key, each in head.items()) + "---\n\n"


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
    stated = facts.recipe.collection.licence.strip()
    return LICENCES.get(stated.lower(), "other" if stated else "unknown").lower()


def _quoted(value: Any) -> str:
    """The value as JSON, which YAML reads, but for characters that nobody sees: YAML refuses some of them."""
    found = json.dumps(value, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else " " for sign in found)
