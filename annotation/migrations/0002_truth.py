"""What Django's constraints cannot say: composite foreign keys, and that submissions are append-only."""

from django.db import migrations

LEVEL_EXISTS = """
ALTER TABLE annotation_judgment ADD CONSTRAINT judgment_value_on_scale
  FOREIGN KEY (criterion_id, value) REFERENCES annotation_level (criterion_id, value);
"""
SPLIT_IS_CAMPAIGNS = """
ALTER TABLE annotation_campaign ADD CONSTRAINT campaign_id_split UNIQUE (id, split);
ALTER TABLE annotation_item ADD CONSTRAINT item_split_is_campaigns
  FOREIGN KEY (campaign_id, split) REFERENCES annotation_campaign (id, split) DEFERRABLE INITIALLY DEFERRED;
"""
APPEND_ONLY = """
CREATE FUNCTION annotation_submission_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'submissions are append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER submission_append_only BEFORE UPDATE OR DELETE ON annotation_submission
  FOR EACH ROW EXECUTE FUNCTION annotation_submission_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]

    operations = [
        migrations.RunSQL(LEVEL_EXISTS, "ALTER TABLE annotation_judgment DROP CONSTRAINT judgment_value_on_scale"),
        migrations.RunSQL(
            SPLIT_IS_CAMPAIGNS,
            "ALTER TABLE annotation_item DROP CONSTRAINT item_split_is_campaigns;"
            "ALTER TABLE annotation_campaign DROP CONSTRAINT campaign_id_split",
        ),
        migrations.RunSQL(
            APPEND_ONLY,
            "DROP TRIGGER submission_append_only ON annotation_submission;"
            "DROP FUNCTION annotation_submission_append_only()",
        ),
    ]
