from django.db import migrations

# As in 0008, but that an attempt which failed after its files were written holds nothing.
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


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0009_leaderboards")]
    operations = [migrations.RunSQL(FUNCTION, migrations.RunSQL.noop)]
