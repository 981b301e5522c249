"""An address is given out once: a trigger keeps every slug, and refuses one that was another collection's."""

from django.db import migrations

KEEP_ADDRESSES = """
CREATE FUNCTION corpus_collection_keeps_its_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO corpus_collectionaddress (slug, collection_id) VALUES (NEW.slug, NEW.id) ON CONFLICT (slug) DO NOTHING;
  IF NOT EXISTS (SELECT FROM corpus_collectionaddress a WHERE a.slug = NEW.slug AND a.collection_id = NEW.id) THEN
    RAISE EXCEPTION 'the address % is or was that of another collection', NEW.slug USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER collection_keeps_its_address AFTER INSERT OR UPDATE OF slug ON corpus_collection
  FOR EACH ROW EXECUTE FUNCTION corpus_collection_keeps_its_address();
INSERT INTO corpus_collectionaddress (slug, collection_id) SELECT slug, id FROM corpus_collection;
"""
FORGET_ADDRESSES = """
DROP TRIGGER collection_keeps_its_address ON corpus_collection;
DROP FUNCTION corpus_collection_keeps_its_address();
"""
# Until now an event knew its collection by slug only; older events of a reused slug belong to a collection that is gone.
AUDIT_BY_COLLECTION = """
UPDATE accounts_auditevent e SET scope_id = c.id FROM corpus_collection c WHERE c.slug = e.scope AND e.at >= c.created_at
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0015_taking_back"), ("accounts", "0003_audit_by_collection")]

    operations = [
        migrations.RunSQL(KEEP_ADDRESSES, FORGET_ADDRESSES),
        migrations.RunSQL(AUDIT_BY_COLLECTION, migrations.RunSQL.noop),
    ]
