"""The data of a release: exports, judgments and verdicts under pseudonyms, pools, runs, and the sets that loaders read.

Everything is streamed in an order that depends only on what is stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from accounts.models import JobState
from adjudication.agreement.results import as_json
from adjudication.cycles.trials import decided_on
from adjudication.evaluation.presets.standing import why_stale
from adjudication.exporting import statements
from adjudication.exporting.exporter import Options
from adjudication.exporting.registry import EXPORTERS
from adjudication.exporting.streams import pieces, rows
from adjudication.exports.exporters.qrels import qrel_rows
from adjudication.exports.exporters.verdicts import verdict_objects
from adjudication.labels.counts import votes_note
from adjudication.machine_audits.released import STILL_JUDGED, description_of, lines_of_frame, released_audits
from adjudication.models import AgreementRun, Evaluation
from adjudication.releases.campaigns import CampaignFacts, campaign_facts, released_guidelines
from adjudication.releases.folder import Folder
from adjudication.releases.judged_sets import write_judged_sets
from adjudication.releases.lines import LINES, coarse, lines_of
from adjudication.releases.people import Pseudonyms
from adjudication.releases.recipe import Recipe, pseudonymous
from annotation.models import AnnoCycle, Annotator, Campaign, MachineRun
from corpus.models import Collection
from engines.formats.csv_text import write_csv
from engines.formats.jsonl import write_objects
from engines.formats.qrels import write_qrels
from engines.stats.blocks import ADJUDICATED

FORMER = "former annotator"  # who was measured under a name that nobody has now


@dataclass(frozen=True)
class Writer:
    """What writes the data of one release."""

    recipe: Recipe
    people: Pseudonyms
    folder: Folder

    @property
    def collection(self) -> Collection:
        return self.recipe.collection

    def write_all(self) -> None:
        """Every file of data, shared by both variants."""
        for path, options in self.recipe.parts.items():
            self._write_export(path, options)
        for campaign in self.recipe.campaigns:
            self._write_campaign(campaign)
        self._write_provenance()
        about = "Each pair explained in PROV terms, as far as is known: sources, labels, votes, decision."
        self.folder.write(LINES, pieces(write_objects(self._lines())), about, nothing="Nothing was judged.")
        write_judged_sets(self.recipe, self.folder)
        self.recipe.leave_out(self.folder.empty)

    def _lines(self) -> Iterator[dict[str, Any]]:
        for campaign in self.recipe.campaigns:
            is_stale = self.recipe.standing_of(campaign)[0].is_stale
            yield from lines_of(self.collection, campaign, self.people, is_stale=is_stale)
        for gold in self.recipe.judged_sets:
            if gold.lines is not None:
                yield from gold.lines(self.people)

    def _write_export(self, path: str, options: Options) -> None:
        exporter = options.exporter
        if options["annotators"]:
            found = pseudonymous(qrel_rows(options), self._names_of(options.campaign))
            self.folder.write(path, pieces(write_qrels(found)), exporter.about_file(options))
        elif exporter.unpacks:
            for name, content in exporter.files(options):
                self.folder.write(f"{path}/{name}", content, exporter.about)
        else:
            self.folder.write(path, exporter.pieces(options), exporter.about_file(options), nothing=exporter.nothing)

    def _names_of(self, campaign: Campaign | None) -> dict[str, str]:
        found = Annotator.objects.filter(campaign=campaign).values_list("pk", "name")
        return {name: self.people.names[pk] for pk, name in found}

    # --- campaigns ----------------------------------------------------------------------------------------------------

    def _write_campaign(self, campaign: Campaign) -> None:
        folder = f"campaigns/{self.people.slugs[campaign.pk]}"
        facts = campaign_facts(campaign, *self.recipe.standing_of(campaign))
        settings = self._settings(facts) if facts.judged_here else {}  # they say nothing of labels from files
        about = "Its settings, criteria and levels." if settings else "Its criteria and levels."
        self.folder.write_json(f"{folder}/campaign.json", settings | self._campaign(campaign), about)
        for guideline in released_guidelines(facts):
            path = f"{folder}/guideline-v{guideline.version}.md"
            body = self.people.without_names(guideline.body).rstrip() + "\n"
            given = facts.guidelines.get(guideline.version, 0)
            about = f"The guideline, version {guideline.version}; answers given under it: {given:,}."
            self.folder.write_text(path, body, about)
        if campaign.kind_object.no_criteria:
            return
        options = Options(self.collection, EXPORTERS["judgments"], campaign)
        self.folder.write(
            f"{folder}/judgments.jsonl",
            pieces(write_objects(self._judgments(options))),
            "Every label that counts: annotator under a pseudonym, value, and what is known of how it was given; for a"
            " machine, its answer.",
            nothing="No label counts in the campaign.",
        )
        self.folder.write(
            f"{folder}/verdicts.jsonl",
            pieces(write_objects(self._verdicts(campaign, options))),
            "The value of each item with the votes and the policy it stands on, how probable it is by the model of"
            " Dawid and Skene (1979), which decides nothing, and the reasons of decisions by hand.",
            nothing="No item has a value.",
        )
        self._write_audits(campaign, folder)
        votes, standing = self.recipe.standing_of(campaign)
        if votes.is_stale:
            self.recipe.left_out[f"{folder}/verdicts.jsonl (probability)"] = votes_note(votes)
        if standing.is_stale:
            reason = f"Agreement was computed before {standing.since}."
            self.recipe.left_out[f"{folder}/agreement.jsonl"] = reason
        elif standing.run is not None:
            self._write_agreement(folder, standing.run, with_machines=bool(facts.machines))

    def _settings(self, facts: CampaignFacts) -> dict[str, Any]:
        """How work was given out; an order only where items have aspects, as else there is none."""
        campaign = facts.campaign
        has_order = campaign.kind_object.has_orders and facts.by_aspect
        return {
            "overlap": campaign.overlap,
            **({"order": campaign.order} if has_order else {}),
            "assignment": campaign.strategy,
            "seed": campaign.seed,
        }

    def _campaign(self, campaign: Campaign) -> dict[str, Any]:
        text = self.people.without_names
        return {
            "name": text(campaign.name),
            "kind": campaign.kind,
            "split": campaign.split,
            "options": self.people.cleaned(campaign.options),
            "criteria": [
                {
                    "key": one.key,
                    "label": text(one.label),
                    "question": text(one.question),
                    "scale": one.scale,
                    "levels": [
                        {
                            "value": level.value,
                            "label": text(level.label),
                            "definition": text(level.definition),
                            "example": text(level.example),
                            "reasons": self.people.cleaned(level.reasons),
                        }
                        for level in one.levels.all()
                    ],
                }
                for one in campaign.criteria.prefetch_related("levels")
            ],
            "annotators": sorted(
                (
                    {
                        "annotator": self.people.names[one.pk],
                        "machine": one.pk in self.people.machines,
                        "model": text(one.model) or None,
                        "weight": one.weight,
                    }
                    for one in campaign.annotators.all()
                ),
                key=lambda one: str(one["annotator"]),
            ),
        }

    def _judgments(self, options: Options) -> Iterator[dict[str, Any]]:
        """Labels item by item, by pseudonym within an item."""
        labels = (dict(zip(RELEASED, row, strict=True)) for row in rows(JUDGMENTS, options))
        for _, same in groupby(labels, key=itemgetter("topic", "aspect", "docno")):
            yield from sorted(map(self._judgment, same), key=itemgetter("annotator"))

    def _judgment(self, label: dict[str, Any]) -> dict[str, Any]:
        found = {
            "topic": label["topic"],
            "aspect": label["aspect"],
            "docno": label["docno"],
            "criterion": label["criterion"],
            "annotator": self.people.names[label["who"]],
            "value": label["value"],
            "machine": label["machine"],
            "model": self.people.label(label["model"] or "") or None,
            "run": label["run"],
            "reason": label["reason"] or None,
            "flagged": label["flagged"] or None,
            "guideline": label["guideline"],
            "week": label["week"],
            "seconds": coarse(label["active_ms"]),
            "note": self.people.without_names(label["note"] or "") or None,
            "said": self.people.without_names(label["said"] or "") or None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def _verdicts(self, campaign: Campaign, options: Options) -> Iterator[dict[str, Any]]:
        ids = self._names_of(options.campaign)
        is_stale = self.recipe.standing_of(campaign)[0].is_stale
        for found in verdict_objects(options):
            counted_at = found.pop("probability_at", None)
            if is_stale:
                found.pop("probability", None)
            elif counted_at:
                found["probability_week"] = week_of(counted_at)
            found["votes"] = dict(sorted((ids[name], vote) for name, vote in found["votes"].items()))
            policy = found.get("policy") or {}
            if "weights" in policy:
                weights = sorted((ids[name], weight) for name, weight in policy["weights"].items())
                found["policy"] = {**policy, "weights": dict(weights)}
            if "decided_at" in found:
                found["decided"] = week_of(found.pop("decided_at"))
            if "comment" in found:
                found["comment"] = self.people.without_names(found["comment"])
            yield found

    def _write_agreement(self, folder: str, run: AgreementRun, *, with_machines: bool) -> None:
        """Every figure with its interval, under pseudonyms."""
        names = self._names_of(run.campaign)
        found = []
        for row in as_json(run)["statistics"]:
            who = sorted(names.get(name, name if name == ADJUDICATED else FORMER) for name in row["annotators"])
            found.append(self.people.cleaned({**row, "annotators": who}))
        found.sort(
            key=lambda row: (row["criterion"], row["statistic"], row["scope"], str(row["block"]), row["annotators"])
        )
        about = "Agreement with intervals: statistic, scope, value, or the reason why there is none."
        if with_machines:
            about += " Block HH is people with people; the scopes mean and all have machines among them."
        self.folder.write(f"{folder}/agreement.jsonl", pieces(write_objects(found)), about)

    def _write_audits(self, campaign: Campaign, folder: str) -> None:
        """Samples of machine labels that people judged, with all that they were drawn from."""
        whole, still_judged = released_audits(campaign)
        self.recipe.left_out |= {f"{folder}/audit-{one.pk}.jsonl": STILL_JUDGED for one in still_judged}
        for one in whole:
            about = f"How the sample of audit {one.pk} was drawn, and what the figures would be if people judged all."
            described = description_of(one) | {"machine": self.people.names[one.machine_id]}
            self.folder.write_json(f"{folder}/audit-{one.pk}.json", self.people.cleaned(described), about)
            about = (
                f"All items that audit {one.pk} was drawn from: the machine's grade, the stratum, with which"
                " probability an item was drawn, whether it was, and what people say of it."
            )
            self.folder.write(f"{folder}/audit-{one.pk}.jsonl", pieces(write_objects(lines_of_frame(one))), about)

    # --- where documents and labels come from -------------------------------------------------------------------------

    def _write_provenance(self) -> None:
        options = Options(self.collection, EXPORTERS["documents"])
        header = ("topic", "docno", "method", "rank")
        found = ((topic, docno, self.people.label(how), rank) for topic, docno, how, rank in rows(POOLS, options))
        pools = write_csv(header, found, guarded=False, delimiter="\t")
        about = "Which method brought a document into a topic's pool, at which rank."
        self.folder.write("pools.tsv", pieces(pools), about, nothing="There are no pools.")
        if self.collection.sub_queries.exists():
            parts = write_csv(("sub_query", "subtopic"), rows(SUB_QUERY_PARTS, options), guarded=False, delimiter="\t")
            about = "Which aspects the value of a sub-query is the sum of; `lines.jsonl` explains the value of each."
            self.folder.write("topics/sub-queries.tsv", pieces(parts), about)
        for run in self.collection.retrieval_runs.order_by("name"):
            name = self.people.without_names(run.name)
            path = self.folder.free(f"runs/{plain(name)}", ".run")
            self.folder.write(path, pieces(self._ranked(run.pk, name)), f"Run {name}, in TREC's layout.")
        evaluations = list(self._evaluations())
        if evaluations:
            about = "Runs measured: figures with intervals, and tests."
            if outside := sorted({one["report"]["gold_label"] for one in evaluations if _is_outside(one)}):
                about += f" Golds that are not in this release: {', '.join(outside)}."
            self.folder.write_json("evaluations.json", evaluations, about)
        machines = list(self._machines())
        if machines:
            self.folder.write_json(
                "machines.json", machines, "Machine annotators: models, prompts, recipes and their hashes."
            )
        cycles = [self._cycle(one) for one in AnnoCycle.objects.filter(collection=self.collection).order_by("number")]
        if cycles:
            self.folder.write_json(
                "cycles.json", cycles, "Anno-GPT cycles: margins; of tested machines figures, decisions and overrides."
            )

    def _ranked(self, run: int, name: str) -> Iterator[str]:
        tag = "_".join(name.split())
        for number, docnos, scores in rows(RANKINGS, Options(self.collection, EXPORTERS["documents"]), run=run):
            for rank, (docno, score) in enumerate(zip(docnos, scores, strict=True), 1):
                yield f"{number} Q0 {docno} {rank} {score!r} {tag}\n"

    def _evaluations(self) -> Iterator[dict[str, Any]]:
        """Runs measured against golds as these are now; a gold may be one annotator, so names are taken out."""
        done = Evaluation.objects.filter(collection=self.collection, state=JobState.DONE).order_by("pk")
        standing = [(found, why_stale(found)) for found in done]
        current = [found.parameters for found, stale in standing if not stale]
        for found, stale in standing:
            if stale and found.parameters in current:
                continue  # it was measured again
            if stale:  # never next to figures of other judgments
                fact = f"{stale.partition('.')[0]}."  # what follows is advice for the person at the screen
                self.recipe.left_out[f"evaluations.json ({self.people.without_names(found.label)})"] = fact
                continue
            one = {"evaluation": found.label, "asked": found.parameters, "report": found.results.get("report")}
            yield self.people.cleaned(one)

    def _machines(self) -> Iterator[dict[str, Any]]:
        found = MachineRun.objects.filter(campaign__in=self.recipe.campaigns).select_related("prompt")
        for run in found.prefetch_related("criteria", "members").order_by("pk"):
            yield self.people.cleaned(
                {
                    "annotator": self.people.names[run.annotator_id],
                    "campaign": self.people.slugs[run.campaign_id],
                    "criteria": [each.key for each in run.criteria.all()],
                    "kind": run.kind,
                    "members": [self.people.names[each.annotator_id] for each in run.members.all()],
                    "recipe": run.recipe,
                    "recipe_sha256": run.recipe_hash,
                    "run": run.run_number,
                    "seed": run.seed,
                    "prompt": run.prompt.body if run.prompt else None,
                }
            )

    def _cycle(self, cycle: AnnoCycle) -> dict[str, Any]:
        found = {
            "number": cycle.number,
            "criterion": cycle.criterion,
            "margin": cycle.margin,
            "machine": cycle.frozen_name or None,
            "machine_sha256": cycle.frozen_hash or None,
            "outcome": cycle.outcome or None,
            "test_passed": cycle.test_passed,
            "overridden": cycle.is_override,
            "reason": cycle.reason or None,
            "evidence": cycle.evidence,
            "evidence_of": self._evidence_of(cycle) if cycle.evidence else None,
        }
        return dict(self.people.cleaned(found))

    def _evidence_of(self, cycle: AnnoCycle) -> str:
        """Whether the figures of a decision are those of the labels that are released."""
        run = decided_on(cycle)
        now = self.recipe.standing_of(cycle.test)[1] if cycle.test else None
        if run and now and now.run and not now.is_stale and run.inputs_hash == now.run.inputs_hash:
            return "the labels of this release"
        return "the labels when it was decided"


def _is_outside(evaluation: dict[str, Any]) -> bool:
    """Whether its gold came in as qrels, which are no part of a release."""
    return str(evaluation["asked"]["gold"]).startswith("qrels:")


def week_of(iso: str) -> str:
    """The ISO week of a time written in ISO 8601."""
    found = datetime.fromisoformat(iso).isocalendar()
    return f"{found[0]}-W{found[1]:02d}"


def plain(name: str) -> str:
    """The name as a file name: letters, digits, `-`, `_` and `.` stay."""
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_.") else "_" for sign in name)


RELEASED = (
    "topic aspect docno criterion who value machine model run reason flagged guideline week active_ms note said".split()
)
JUDGMENTS = statements.judgments(RELEASED)
POOLS = f"""
SELECT t.written, d.docno, s.method, s.rank FROM corpus_poolsource s
JOIN corpus_poolentry p ON p.id = s.entry_id
JOIN {statements.PUBLISHED_TOPICS} t ON t.id = p.topic_id AND t.collection_id = %(collection)s
JOIN corpus_document d ON d.id = p.document_id
ORDER BY t.position, t.id, d.docno COLLATE "C", s.method COLLATE "C"
"""
SUB_QUERY_PARTS = f"""
WITH {statements.PLACES}, {statements.SUB_ITEMS.strip()}
SELECT q.number, t.written || '.' || places.place FROM sub_item s JOIN corpus_subquery q ON q.id = s.sub_query_id
JOIN {statements.PUBLISHED_TOPICS} t ON t.id = q.topic_id
JOIN places ON places.aspect_id = s.aspect_id
ORDER BY t.position, t.id, q.id, places.place
"""
RANKINGS = f"""
SELECT t.written, r.docnos, r.scores FROM corpus_ranking r
JOIN {statements.PUBLISHED_TOPICS} t ON t.id = r.topic_id AND t.collection_id = %(collection)s
WHERE r.run_id = %(run)s ORDER BY t.position, t.id
"""
