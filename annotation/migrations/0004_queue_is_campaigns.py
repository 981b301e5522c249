"""An assignment's queue is its item's campaign: Django's constraints cannot say it, a composite foreign key can."""

from django.db import migrations

QUEUE_IS_CAMPAIGNS = """
ALTER TABLE annotation_item ADD CONSTRAINT item_id_campaign UNIQUE (id, campaign_id);
ALTER TABLE annotation_assignment ADD CONSTRAINT assignment_queue_is_items_campaign
  FOREIGN KEY (item_id, queue_id) REFERENCES annotation_item (id, campaign_id) ON DELETE CASCADE;
"""
BACK = """
ALTER TABLE annotation_assignment DROP CONSTRAINT assignment_queue_is_items_campaign;
ALTER TABLE annotation_item DROP CONSTRAINT item_id_campaign;
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_queue")]

    operations = [migrations.RunSQL(QUEUE_IS_CAMPAIGNS, BACK)]
