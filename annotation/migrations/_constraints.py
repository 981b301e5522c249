"""What Django's constraints cannot say: composite foreign keys, and tables that only grow.

Rows of such tables are deleted only when an import is undone or a collection deleted, which say so first by
`SET LOCAL litmus.taking_back = 'on'` (corpus/collections/removals.py).
"""

LEVEL_EXISTS = """
ALTER TABLE annotation_judgment ADD CONSTRAINT judgment_value_on_scale
  FOREIGN KEY (criterion_id, value) REFERENCES annotation_level (criterion_id, value);
"""
# An index of judgments serves this key when submissions are deleted.
SUBMISSION_IS_ITS_ASSIGNMENTS = """
ALTER TABLE annotation_judgment ADD CONSTRAINT judgment_submission_is_its_assignments
  FOREIGN KEY (assignment_id, submission_id) REFERENCES annotation_submission (assignment_id, id)
  DEFERRABLE INITIALLY DEFERRED;
"""
SPLIT_IS_CAMPAIGNS = """
ALTER TABLE annotation_campaign ADD CONSTRAINT campaign_id_split UNIQUE (id, split);
ALTER TABLE annotation_item ADD CONSTRAINT item_split_is_campaigns
  FOREIGN KEY (campaign_id, split) REFERENCES annotation_campaign (id, split) DEFERRABLE INITIALLY DEFERRED;
"""
QUEUE_IS_CAMPAIGNS = """
ALTER TABLE annotation_item ADD CONSTRAINT item_id_campaign UNIQUE (id, campaign_id);
ALTER TABLE annotation_assignment ADD CONSTRAINT assignment_queue_is_items_campaign
  FOREIGN KEY (item_id, queue_id) REFERENCES annotation_item (id, campaign_id) ON DELETE CASCADE;
"""
MACHINES_ARE_CAMPAIGNS = """
ALTER TABLE annotation_criterion ADD CONSTRAINT criterion_id_campaign UNIQUE (id, campaign_id);
ALTER TABLE annotation_annocycle ADD CONSTRAINT anno_cycle_dev_split_is_campaigns
  FOREIGN KEY (dev_id, dev_split) REFERENCES annotation_campaign (id, split) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE annotation_annocycle ADD CONSTRAINT anno_cycle_test_split_is_campaigns
  FOREIGN KEY (test_id, test_split) REFERENCES annotation_campaign (id, split) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE annotation_machinerun ADD CONSTRAINT machine_run_criterion_is_campaigns
  FOREIGN KEY (criterion_id, campaign_id) REFERENCES annotation_criterion (id, campaign_id)
  DEFERRABLE INITIALLY DEFERRED;
"""
REVISIONS_ARE_OWN = """
ALTER TABLE annotation_extraction ADD CONSTRAINT extraction_current_is_own
  FOREIGN KEY (id, current) REFERENCES annotation_extractionrevision (extraction_id, number)
  DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE annotation_extractionrevision ADD CONSTRAINT extraction_revision_parent_is_own
  FOREIGN KEY (extraction_id, parent) REFERENCES annotation_extractionrevision (extraction_id, number)
  DEFERRABLE INITIALLY DEFERRED;
"""
# An item and an annotator of the same campaign. Deleted with their item, as the model says.
INQUIRY_IS_OF_ONE_CAMPAIGN = """
ALTER TABLE annotation_annotator ADD CONSTRAINT annotator_id_campaign UNIQUE (id, campaign_id);
ALTER TABLE annotation_inquiry ADD CONSTRAINT inquiry_item_is_campaigns
  FOREIGN KEY (item_id, campaign_id) REFERENCES annotation_item (id, campaign_id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE annotation_inquiry ADD CONSTRAINT inquiry_annotator_is_campaigns
  FOREIGN KEY (annotator_id, campaign_id) REFERENCES annotation_annotator (id, campaign_id)
  DEFERRABLE INITIALLY DEFERRED;
"""
APPEND_ONLY = """
CREATE OR REPLACE FUNCTION annotation_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('litmus.taking_back', true) = 'on' THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER submission_append_only BEFORE UPDATE OR DELETE ON annotation_submission
  FOR EACH ROW EXECUTE FUNCTION annotation_append_only();
CREATE TRIGGER rewrite_append_only BEFORE UPDATE OR DELETE ON annotation_rewrite
  FOR EACH ROW EXECUTE FUNCTION annotation_append_only();
CREATE TRIGGER found_target_append_only BEFORE UPDATE OR DELETE ON annotation_foundtarget
  FOR EACH ROW EXECUTE FUNCTION annotation_append_only();
"""
# Extractions that no person made may go, with their revisions.
REVISIONS_APPEND_ONLY = """
CREATE OR REPLACE FUNCTION annotation_extractionrevision_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND (current_setting('litmus.taking_back', true) = 'on' OR EXISTS (
    SELECT FROM annotation_extraction e WHERE e.id = OLD.extraction_id AND e.source IN ('machine', 'imported')
  )) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'revisions of extractions are append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER extractionrevision_append_only BEFORE UPDATE OR DELETE ON annotation_extractionrevision
  FOR EACH ROW EXECUTE FUNCTION annotation_extractionrevision_append_only();
"""
ALL = (
    LEVEL_EXISTS,
    SUBMISSION_IS_ITS_ASSIGNMENTS,
    SPLIT_IS_CAMPAIGNS,
    QUEUE_IS_CAMPAIGNS,
    MACHINES_ARE_CAMPAIGNS,
    REVISIONS_ARE_OWN,
    INQUIRY_IS_OF_ONE_CAMPAIGN,
    APPEND_ONLY,
    REVISIONS_APPEND_ONLY,
)
