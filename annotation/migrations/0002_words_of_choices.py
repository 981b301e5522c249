from django.db import migrations

# Which questions a rubric takes is asked for by the same words at every door.
FORWARD = """
UPDATE annotation_itembuild
SET parameters = (parameters - 'kind' - 'text')
  || jsonb_build_object('topic_kind', parameters->'kind', 'words', parameters->'text')
WHERE parameters ?& array['kind', 'text']
"""
BACK = """
UPDATE annotation_itembuild
SET parameters = (parameters - 'topic_kind' - 'words')
  || jsonb_build_object('kind', parameters->'topic_kind', 'text', parameters->'words')
WHERE parameters ?& array['topic_kind', 'words']
"""


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_tables")]
    operations = [migrations.RunSQL(FORWARD, BACK)]
