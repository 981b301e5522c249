"""What Django's models cannot say of documents and collections."""

# Documents are read whole: a row with an abstract of usual length stays in one piece, the search vector apart from it.
WHOLE_ROWS = """
ALTER TABLE corpus_document SET (toast_tuple_target = 4080);
ALTER TABLE corpus_document ALTER COLUMN search SET STORAGE EXTERNAL;
"""
# An address is given out once: a trigger keeps every slug, and refuses one that was another collection's.
KEEP_ADDRESSES = """
CREATE OR REPLACE FUNCTION corpus_collection_keeps_its_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO corpus_collectionaddress (slug, collection_id) VALUES (NEW.slug, NEW.id) ON CONFLICT (slug) DO NOTHING;
  IF NOT EXISTS (SELECT FROM corpus_collectionaddress a WHERE a.slug = NEW.slug AND a.collection_id = NEW.id) THEN
    RAISE EXCEPTION 'the address % is or was that of another collection', NEW.slug USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER collection_keeps_its_address AFTER INSERT OR UPDATE OF slug ON corpus_collection
  FOR EACH ROW EXECUTE FUNCTION corpus_collection_keeps_its_address();
"""
