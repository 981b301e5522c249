"""What Django's constraints cannot say: a verdict's value is on its criterion's scale, and what a release stands on stays."""

LEVEL_EXISTS = """
ALTER TABLE adjudication_verdict ADD CONSTRAINT verdict_value_on_scale
  FOREIGN KEY (criterion_id, value) REFERENCES annotation_level (criterion_id, value);
"""

IN_CAMPAIGN = "FROM gone g JOIN annotation_campaign c ON c.id = g.campaign_id"
OF_ITEM = "JOIN annotation_item i ON i.id = g.item_id JOIN annotation_campaign c ON c.id = i.campaign_id"
IN_COLLECTION = "SELECT g.id, g.collection_id, NULL FROM gone g"
OF_TOPIC = "SELECT g.id, t.collection_id, NULL FROM gone g JOIN corpus_topic t ON t.id = g.topic_id"
OF_CAMPAIGN = f"SELECT g.id, c.collection_id, c.slug {IN_CAMPAIGN}"
# {table: (what it is called, the id, collection and campaign of deleted rows)}
GUARDED = {
    "corpus.collection": ("collection", "SELECT g.id, g.id, NULL FROM gone g"),
    "corpus.document": ("document", IN_COLLECTION),
    "corpus.topic": ("topic", IN_COLLECTION),
    "corpus.subquery": ("sub-query", IN_COLLECTION),
    "corpus.retrievalrun": ("retrieval run", IN_COLLECTION),
    "corpus.importrun": ("import", IN_COLLECTION),
    "corpus.paper": ("citing paper", IN_COLLECTION),
    "corpus.questionrun": ("question run", IN_COLLECTION),
    "corpus.prompttemplate": ("prompt", IN_COLLECTION),
    "corpus.aspect": ("aspect", OF_TOPIC),
    "corpus.poolentry": ("pool entry", OF_TOPIC),
    "corpus.topicversion": ("version of a topic", OF_TOPIC),
    "annotation.campaign": ("campaign", "SELECT g.id, g.collection_id, g.slug FROM gone g"),
    "annotation.criterion": ("criterion", OF_CAMPAIGN),
    "annotation.guideline": ("guideline", OF_CAMPAIGN),
    "annotation.annotator": ("annotator", OF_CAMPAIGN),
    "annotation.item": ("item", OF_CAMPAIGN),
    "annotation.machinerun": ("machine run", OF_CAMPAIGN),
    "annotation.level": (
        "level",
        "SELECT g.id, c.collection_id, c.slug FROM gone g JOIN annotation_criterion r ON r.id = g.criterion_id"
        " JOIN annotation_campaign c ON c.id = r.campaign_id",
    ),
    "annotation.assignment": (
        "assignment",
        f"SELECT g.id, c.collection_id, c.slug FROM gone g {OF_ITEM} WHERE g.state = 'done'",
    ),
    "annotation.annocycle": ("cycle", IN_COLLECTION),
    "adjudication.voterun": ("count of votes", OF_CAMPAIGN),
    "adjudication.agreementrun": ("agreement run", OF_CAMPAIGN),
    "adjudication.evaluation": ("evaluation", IN_COLLECTION),
    "adjudication.importedqrels": ("imported judged set", IN_COLLECTION),
    "adjudication.split": ("split", IN_COLLECTION),
}
# Once for each statement, so that deleting many rows asks once. The name of the constraint says that the message is
# for people (accounts/refusals.py). An attempt that failed after its files were written holds nothing.
FUNCTION = """
CREATE OR REPLACE FUNCTION adjudication_release_stands() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  standing text;
BEGIN
  IF NOT EXISTS (SELECT FROM adjudication_release WHERE frozen_at IS NOT NULL) THEN RETURN NULL; END IF;
  EXECUTE format(
    'SELECT r.name FROM (%s) found (id, collection, campaign)
     JOIN adjudication_release r ON r.collection_id = found.collection AND r.frozen_at IS NOT NULL
       AND r.state NOT IN (''failed'', ''cancelled'')
     WHERE (r.last_ids->>%L)::bigint >= found.id AND (campaign IS NULL OR r.summary->''campaigns'' ? campaign)
     ORDER BY r.version DESC LIMIT 1', TG_ARGV[2], TG_ARGV[0]) INTO standing;
  IF standing IS NOT NULL THEN
    RAISE EXCEPTION 'Release % stands on this %, so it stays: what a release is made of must remain, so that each of its lines can be explained.',
      standing, TG_ARGV[1] USING ERRCODE = 'restrict_violation', CONSTRAINT = 'stated_refusal';
  END IF;
  RETURN NULL;
END $$;
"""


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def trigger(label: str) -> str:
    called, found = GUARDED[label]
    table = label.replace(".", "_")
    return (
        f"CREATE TRIGGER release_stands AFTER DELETE ON {table} REFERENCING OLD TABLE AS gone FOR EACH STATEMENT"
        f" EXECUTE FUNCTION adjudication_release_stands({quoted(label)}, {quoted(called)}, {quoted(found)});\n"
    )


RELEASES_STAND = FUNCTION + "".join(trigger(label) for label in GUARDED)
ALL = (LEVEL_EXISTS, RELEASES_STAND)
