"""What Django's constraints cannot say of extractions: whose revision is current, and that revisions are append-only."""

from django.db import migrations

CURRENT_IS_OWN = """
ALTER TABLE annotation_extraction ADD CONSTRAINT extraction_current_is_own
  FOREIGN KEY (id, current) REFERENCES annotation_extractionrevision (extraction_id, number)
  DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE annotation_extractionrevision ADD CONSTRAINT extraction_revision_parent_is_own
  FOREIGN KEY (extraction_id, parent) REFERENCES annotation_extractionrevision (extraction_id, number)
  DEFERRABLE INITIALLY DEFERRED;
"""
APPEND_ONLY = """
CREATE FUNCTION annotation_extractionrevision_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM annotation_extraction e WHERE e.id = OLD.extraction_id AND e.source IN ('machine', 'imported')
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'revisions of extractions are append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER extractionrevision_append_only BEFORE UPDATE OR DELETE ON annotation_extractionrevision
  FOR EACH ROW EXECUTE FUNCTION annotation_extractionrevision_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0008_extractions")]

    operations = [
        migrations.RunSQL(
            CURRENT_IS_OWN,
            "ALTER TABLE annotation_extraction DROP CONSTRAINT extraction_current_is_own;"
            "ALTER TABLE annotation_extractionrevision DROP CONSTRAINT extraction_revision_parent_is_own",
        ),
        migrations.RunSQL(
            APPEND_ONLY,
            "DROP TRIGGER extractionrevision_append_only ON annotation_extractionrevision;"
            "DROP FUNCTION annotation_extractionrevision_append_only()",
        ),
    ]
