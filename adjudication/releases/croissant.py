"""Croissant 1.1 with RAI and PROV: one JSON-LD file that loaders and venues read.

The context is that of mlcroissant 1.1 (the one printed in the specification's appendix does not validate), with `prov`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adjudication.releases import sentences
from adjudication.releases.facts import Facts, platform
from adjudication.releases.folder import FileEntry
from adjudication.releases.statement import creators_in
from annotation.kind import Judged

CROISSANT = "http://mlcommons.org/croissant/1.1"
ANONYMOUS = "Anonymous authors"
RAI = "http://mlcommons.org/croissant/RAI/1.0"
PLAIN = (
    "citeAs column containedIn equivalentProperty extract field fileProperty fileObject fileSet format includes isArray"
    " isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate"
    " separator source subField transform arrayShape"
).split()
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{name: f"cr:{name}" for name in PLAIN},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
TEXT, WHOLE, FLAG = "sc:Text", "sc:Integer", "sc:Boolean"
JUDGMENT_FIELDS = (
    ("topic", TEXT, "Number of the topic."),
    ("docno", TEXT, "Id of the document."),
    ("criterion", TEXT, "What was asked."),
    ("annotator", TEXT, "Pseudonym of a person, or the name of a machine."),
    ("value", WHOLE, "The level given."),
    ("machine", FLAG, "Whether a machine gave it."),
)
QUESTION_FIELDS = tuple(one for one in JUDGMENT_FIELDS if one[0] != "docno")  # where topics are judged alone


def croissant(facts: Facts, entries: Sequence[FileEntry], *, anonymous: bool) -> str:
    """The file as text. `entries` are the files of the release that it describes."""
    described = {entry.path: entry for entry in entries}
    about = _about(facts, anonymous=anonymous)
    found = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [CROISSANT, RAI],
        **(facts.people.cleaned(about) if anonymous else about),
        **_rai(facts, anonymous=anonymous),
        **_provenance(facts, anonymous=anonymous),
        "distribution": [_file(entry) for entry in entries],
        "recordSet": list(_record_sets(facts, described)),
    }
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def name_of(facts: Facts, *, anonymous: bool) -> str:
    """The short name of the data set."""
    return "anonymous-collection" if anonymous else facts.recipe.collection.slug


def description_of(facts: Facts) -> str:
    """What people stated about it, else what it holds."""
    stated = facts.answers.get("description") or facts.recipe.collection.description.strip()
    return facts.people.without_names(stated) or f"A test collection for retrieval: {sentences.holds(facts)}"


def creators(facts: Facts, *, anonymous: bool) -> list[dict[str, Any]]:
    """The creators as schema.org persons; [] where nobody stated them."""
    if anonymous:
        return [{"@type": "sc:Organization", "name": ANONYMOUS}]
    return [
        {"@type": "sc:Person", "name": name, **({"sameAs": f"https://orcid.org/{orcid}"} if orcid else {})}
        for name, orcid in creators_in(facts.answers)
    ]


def _about(facts: Facts, *, anonymous: bool) -> dict[str, Any]:
    """What the release is, without what nobody stated."""
    answers = {} if anonymous else facts.answers
    publisher, citation = answers.get("publisher"), answers.get("citation")
    found: dict[str, Any] = {
        "name": name_of(facts, anonymous=anonymous),
        "description": description_of(facts),
        "license": facts.recipe.collection.licence.strip(),
        "url": answers.get("url"),
        "creator": creators(facts, anonymous=anonymous),
        "datePublished": facts.date,
        "version": facts.version,
        "inLanguage": facts.answers.get("languages", "").split(),
        "keywords": ["information retrieval", "test collection"],
        "publisher": {"@type": "sc:Organization", "name": publisher} if publisher else None,
        "citeAs": citation or (None if anonymous else f"{facts.title}, release {facts.release.name}, {facts.date}."),
    }
    return {name: each for name, each in found.items() if each} | {"isLiveDataset": False}


def _rai(facts: Facts, *, anonymous: bool) -> dict[str, Any]:
    """The terms of RAI that something is known for; those that venues demand stand there in any case."""
    stated, known = sentences.stated, facts.answers.get
    raw = sentences.raw_data(facts, anonymous=anonymous)
    judged = any(one.judged_here for one in facts.campaigns)
    analysis = sentences.analysis(facts)
    tools = f"{sentences.machines(facts)} {sentences.written_by_models(facts)}".strip()
    collected = " ".join(filter(None, [raw, sentences.pooled(facts), sentences.questions(facts)]))
    found: dict[str, Any] = {
        "dataCollection": collected,
        "dataCollectionType": ["Manual Human Curator"] if judged else [],
        "dataCollectionMissingData": sentences.missing(facts),
        "dataCollectionRawData": raw,
        "dataCollectionTimeframe": sentences.timeframe(facts),
        "dataManipulationProtocol": analysis,
        "dataImputationProtocol": "No value is imputed: what was not judged is absent.",
        "dataAnnotationProtocol": sentences.protocol(facts),
        "dataAnnotationPlatform": ["Litmus"] if judged else [],
        "dataAnnotationAnalysis": [analysis] if analysis else [],
        "annotationsPerItem": sentences.per_item(facts),
        "annotatorDemographics": [stated(facts, "annotatorDemographics")] if known("annotatorDemographics") else [],
        "machineAnnotationTools": [tools] if tools else [],
        "dataReleaseMaintenancePlan": known("dataReleaseMaintenancePlan"),
        "dataLimitations": stated(facts, "dataLimitations", sentences.limitations(facts)),
        "dataBiases": stated(facts, "dataBiases", sentences.pooled(facts)),
        "personalSensitiveInformation": stated(facts, "personalSensitiveInformation"),
        "dataUseCases": stated(facts, "dataUseCases"),
        "dataSocialImpact": stated(facts, "dataSocialImpact"),
    }
    return {f"rai:{name}": facts.people.cleaned(each) for name, each in found.items() if each} | _synthetic(facts)


def _synthetic(facts: Facts) -> dict[str, bool]:
    """Whether data are synthetic: true where Litmus knows it, else as it was stated; nothing where nobody did."""
    if sentences.synthetic(facts):
        return {"rai:hasSyntheticData": True}
    stated = facts.answers.get("syntheticData")
    return {"rai:hasSyntheticData": stated == "yes"} if stated else {}


def _provenance(facts: Facts, *, anonymous: bool) -> dict[str, Any]:
    sources = [
        {
            "@type": "prov:Entity",
            "prov:label": run.label
            if anonymous
            else f"{run.label}: {facts.people.without_names(str(one.get('name', '')))}",
            "identifier": f"sha256:{one['sha256']}",
        }
        for run in facts.imports
        for one in run.files
        if one.get("sha256")
    ]
    agents: list[dict[str, Any]] = [{"@type": "prov:SoftwareAgent", "prov:label": platform()}]
    if not anonymous:
        named = creators_in(facts.answers)
        agents += [{"@type": "prov:Person", "prov:label": name} for name, _ in named]
    return {
        "prov:wasDerivedFrom": sources or "Nothing in this release was imported from files.",
        "prov:wasGeneratedBy": facts.people.cleaned(list(sentences.activities(facts))),
        "prov:wasAttributedTo": agents,
    }


def _file(entry: FileEntry) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": entry.path,
        "name": entry.path,
        "description": entry.about or entry.path,
        "contentUrl": entry.path,
        "contentSize": f"{entry.bytes} B",
        "encodingFormat": entry.media_type,
        "sha256": entry.sha256,
    }


def _record_sets(facts: Facts, described: Mapping[str, FileEntry]) -> Iterable[dict[str, Any]]:
    corpus = "data/corpus/corpus.parquet"
    if corpus not in described:
        return
    fields = (("_id", TEXT, "Id of the document."), ("title", TEXT, "Its title."), ("text", TEXT, "Its abstract."))
    yield _records("corpus", described[corpus], fields, key="_id")
    for gold in facts.recipe.judged_sets:
        queries, qrels = (described[f"data/{gold.name}/{name}.parquet"] for name in ("queries", "qrels"))
        query_fields = (("_id", TEXT, "Id of the query."), ("text", TEXT, "Its text."))
        yield _records(f"{gold.name}-queries", queries, query_fields, key="_id")
        qrel_fields = (
            ("query-id", TEXT, "The query."),
            ("corpus-id", TEXT, "The document."),
            ("score", WHOLE, facts.people.without_names(gold.about)),
        )
        references = {"query-id": f"{gold.name}-queries/_id", "corpus-id": "corpus/_id"}
        yield _records(f"{gold.name}-qrels", qrels, qrel_fields, references=references)
    for one in facts.campaigns:
        slug = facts.people.slugs[one.campaign.pk]
        entry = described.get(f"campaigns/{slug}/judgments.jsonl")
        if entry is not None and entry.rows:
            columns = JUDGMENT_FIELDS if one.campaign.kind_object.judges == Judged.DOCUMENTS else QUESTION_FIELDS
            yield _records(f"{slug}-judgments", entry, columns)


def _records(
    name: str,
    entry: FileEntry,
    fields: Iterable[tuple[str, str, str]],
    *,
    key: str = "",
    references: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    found: dict[str, Any] = {"@type": "cr:RecordSet", "@id": name, "name": name, "description": entry.about or name}
    if key:
        found["key"] = {"@id": f"{name}/{key}"}
    found["field"] = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": f"{name}/{column}",
            "description": about,
            "dataType": kind,
            "source": {"fileObject": {"@id": entry.path}, "extract": {"column": column}},
            **({"equivalentProperty": "prov:wasAttributedTo"} if column == "annotator" else {}),
            **({"references": {"field": {"@id": references[column]}}} if references and column in references else {}),
        }
        for column, kind, about in fields
    ]
    return found
