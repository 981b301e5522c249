"""What Django's models cannot say of documents and collections."""

# Documents are read whole: a row with an abstract of usual length stays in one piece.
WHOLE_ROWS = """
ALTER TABLE corpus_document SET (toast_tuple_target = 4080);
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
# Vectors lie as they are: ranking reads them, and compressing them cost more than the space.
# PostgreSQL refuses a row whose vector passes 1 MB, whatever its words are: hence left().
SEARCH_ENTRIES = """
ALTER TABLE corpus_searchentry SET (toast_tuple_target = 4080);
ALTER TABLE corpus_searchentry ALTER COLUMN vector SET STORAGE EXTERNAL;
ALTER TABLE corpus_searchentry ADD CONSTRAINT search_entry_of_document
  FOREIGN KEY (document_id) REFERENCES corpus_document (id) ON DELETE CASCADE;

CREATE OR REPLACE FUNCTION corpus_search_vector(title text, abstract text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(to_tsvector('english'::regconfig, left(title, 5000)), 'A')
  || setweight(to_tsvector('english'::regconfig, left(abstract, 100000)), 'B');
"""
# A transaction that sets litmus.search_later leaves entries to a job. It takes away those of texts that it changes, so
# that no entry is ever of another text.
DOCUMENTS_ENTER_SEARCH = """
CREATE OR REPLACE FUNCTION corpus_enter_into_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('litmus.search_later', true) = 'on' THEN
    DELETE FROM corpus_searchentry WHERE document_id = NEW.id;
  ELSE
    INSERT INTO corpus_searchentry (document_id, collection_id, vector)
    VALUES (NEW.id, NEW.collection_id, corpus_search_vector(NEW.title, NEW.abstract))
    ON CONFLICT (document_id) DO UPDATE SET vector = excluded.vector;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER document_enters_search AFTER INSERT ON corpus_document FOR EACH ROW
WHEN (current_setting('litmus.search_later', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION corpus_enter_into_search();
CREATE TRIGGER search_follows_document AFTER UPDATE OF title, abstract ON corpus_document FOR EACH ROW
WHEN (OLD.title IS DISTINCT FROM NEW.title OR OLD.abstract IS DISTINCT FROM NEW.abstract)
EXECUTE FUNCTION corpus_enter_into_search();
"""
ALL = (WHOLE_ROWS, KEEP_ADDRESSES, SEARCH_ENTRIES, DOCUMENTS_ENTER_SEARCH)
