"""Append-only tables give rows up only when an import is undone or a collection deleted, which say so first.

They do by `SET LOCAL litmus.taking_back = 'on'` (corpus/collections/jobs/taking_back.py). And a judgment's submission is one of its
own assignment: a composite foreign key, which an index of judgments serves when submissions are deleted.
"""

from django.db import migrations

MAY_DELETE = """
CREATE OR REPLACE FUNCTION annotation_submission_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('litmus.taking_back', true) = 'on' THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'submissions are append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE FUNCTION annotation_extractionrevision_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND (current_setting('litmus.taking_back', true) = 'on' OR EXISTS (
    SELECT FROM annotation_extraction e WHERE e.id = OLD.extraction_id AND e.source IN ('machine', 'imported')
  )) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'revisions of extractions are append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE FUNCTION annotation_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('litmus.taking_back', true) = 'on' THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;
"""
MUST_NOT = """
CREATE OR REPLACE FUNCTION annotation_submission_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'submissions are append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE FUNCTION annotation_extractionrevision_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM annotation_extraction e WHERE e.id = OLD.extraction_id AND e.source IN ('machine', 'imported')
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'revisions of extractions are append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE FUNCTION annotation_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;
"""
OWN_SUBMISSION = """
ALTER TABLE annotation_judgment ADD CONSTRAINT judgment_submission_is_its_assignments
  FOREIGN KEY (assignment_id, submission_id) REFERENCES annotation_submission (assignment_id, id)
  DEFERRABLE INITIALLY DEFERRED
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0014_taking_back")]

    operations = [
        migrations.RunSQL(MAY_DELETE, MUST_NOT),
        migrations.RunSQL(
            OWN_SUBMISSION, "ALTER TABLE annotation_judgment DROP CONSTRAINT judgment_submission_is_its_assignments"
        ),
    ]
