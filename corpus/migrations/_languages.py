"""Vectors and queries of the full-text search by the language of a collection.

English has PostgreSQL's own configuration over the texts as they are, as before collections had a language. For the
others a text is first cut into words: where a database has the locale C, PostgreSQL's parser takes every character
beyond ASCII for a letter, also "؟" and "。"; and of scripts without spaces it would take a clause for a word. So marks
that are written at will go, punctuation becomes blank, and of scripts without spaces each two neighbours are a word.
The last character of such a run stands alone as well: then one character finds all words that begin with it.
The ranges are those of engines/text/scripts.py; a test compares them.
"""

SPACELESS = (
    r"\u0E01-\u0E3A\u0E40-\u0E4E\u0E81-\u0EBD\u0EC0-\u0ECE\u0EDC-\u0EDF\u1000-\u103F\u1050-\u1089\u109A-\u109D"
    r"\u1780-\u17D3\u17D7\u17DC\u17DD\u1100-\u11FF\u3131-\u318E\uAC00-\uD7A3\uD7B0-\uD7FB\u2E80-\u2FD5\u3005-\u3007"
    r"\u3021-\u3029\u3038-\u303B\u3041-\u3096\u3099\u309A\u309D-\u309F\u30A1-\u30FA\u30FC-\u30FF\u31F0-\u31FF"
    r"\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF"
)
ACCENTS = (
    r"\u0300-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670"
    r"\u06D6-\u06DC\u06DF-\u06E4\u06E7\u06E8\u06EA-\u06ED\u08CA-\u08FF\u180B-\u180D\u180F\u1AB0-\u1AFF\u1DC0-\u1DFF"
    r"\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\U000E0100-\U000E01EF"
)
PICTURES = r"\u2600-\u27BF\U0001F000-\U0001FAFF"
JOINERS = r"\u200C\u200D"
PUNCTUATION = (
    r"\u00A1-\u00A9\u00AB-\u00B1\u00B4\u00B6-\u00B8\u00BB\u00BF\u00D7\u00F7\u037E\u0387\u055A-\u055F\u0589\u058A\u05BE"
    r"\u05C0\u05C3\u05C6\u05F3\u05F4\u0600-\u060F\u061B-\u061F\u066A-\u066D\u06D4\u0964\u0965\u0970\u0E3F\u0E4F"
    r"\u0E5A\u0E5B\u0F0B-\u0F14\u104A-\u104F\u1361-\u1368\u17D4-\u17D6\u17D8-\u17DB\u2000-\u200B\u200E-\u206F"
    r"\u20A0-\u20BF\u2190-\u25FF\u3000-\u3004\u3008-\u3020\u3030\u303D-\u303F\u30FB\uFE10-\uFE19\uFE30-\uFE6F"
    r"\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFEF"
)
CONFIGURATIONS = (
    "ar:arabic hy:armenian eu:basque ca:catalan da:danish nl:dutch fi:finnish fr:french de:german el:greek hi:hindi"
    " hu:hungarian id:indonesian ga:irish it:italian lt:lithuanian ne:nepali no:norwegian pt:portuguese ro:romanian"
    " ru:russian sr:serbian es:spanish sv:swedish ta:tamil tr:turkish yi:yiddish"
)
_CASES = " ".join("WHEN '{}' THEN '{}'::regconfig".format(*pair.split(":")) for pair in CONFIGURATIONS.split())
_PURE = "LANGUAGE sql IMMUTABLE PARALLEL SAFE"
# websearch: a run after a minus sign becomes a phrase, or the sign would be before its first pair alone.
FUNCTIONS = rf"""
CREATE FUNCTION corpus_search_config(language text) RETURNS regconfig {_PURE}
RETURN CASE language WHEN 'en' THEN 'english'::regconfig {_CASES} ELSE 'simple'::regconfig END;

CREATE FUNCTION corpus_search_text(text) RETURNS text {_PURE}
RETURN CASE WHEN $1 ~ '[^\x01-\x7f]' THEN
  regexp_replace(
    regexp_replace(
      regexp_replace(
        regexp_replace(normalize($1), '[{ACCENTS}{JOINERS}]+', '', 'g'),
        '[{PUNCTUATION}]+', ' ', 'g'),
      '([{SPACELESS}]+|[{PICTURES}])', ' \1 ', 'g'),
    '(?<=[{SPACELESS}])([{SPACELESS}])', '\1 \1', 'g')
  ELSE $1 END;

CREATE FUNCTION corpus_search_words(language text, words text) RETURNS tsvector {_PURE}
RETURN CASE language WHEN 'en' THEN to_tsvector('english'::regconfig, words)
  ELSE to_tsvector(corpus_search_config(language), corpus_search_text(words)) END;

CREATE FUNCTION corpus_search_vector(language text, title text, abstract text) RETURNS tsvector {_PURE}
RETURN setweight(corpus_search_words(language, left(title, 5000)), 'A')
  || setweight(corpus_search_words(language, left(abstract, 100000)), 'B');

CREATE FUNCTION corpus_query_text(text) RETURNS text {_PURE}
RETURN regexp_replace(
  corpus_search_text(regexp_replace($1, '(^|\s)-([{SPACELESS}]+)', '\1-"\2"', 'g')),
  '(?<=[{SPACELESS}][{SPACELESS}]) [{SPACELESS}](?![{SPACELESS}])', '', 'g');

CREATE FUNCTION corpus_open_ends(tsquery) RETURNS tsquery {_PURE}
RETURN regexp_replace($1::text, '''([{SPACELESS}])''(?!:)', '''\1'':*', 'g')::tsquery;

CREATE FUNCTION corpus_search_query(language text, words text) RETURNS tsquery {_PURE}
RETURN CASE language WHEN 'en' THEN websearch_to_tsquery('english'::regconfig, words)
  ELSE corpus_open_ends(websearch_to_tsquery(corpus_search_config(language), corpus_query_text(words))) END;

CREATE FUNCTION corpus_plain_query(language text, words text) RETURNS tsquery {_PURE}
RETURN CASE language WHEN 'en' THEN plainto_tsquery('english'::regconfig, words)
  ELSE corpus_open_ends(plainto_tsquery(corpus_search_config(language), corpus_query_text(words))) END;

CREATE OR REPLACE FUNCTION corpus_enter_into_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('litmus.search_later', true) = 'on' THEN
    DELETE FROM corpus_searchentry WHERE document_id = NEW.id;
  ELSE
    INSERT INTO corpus_searchentry (document_id, collection_id, language, vector)
    SELECT NEW.id, c.id, c.language, corpus_search_vector(c.language, NEW.title, NEW.abstract)
    FROM corpus_collection c WHERE c.id = NEW.collection_id
    ON CONFLICT (document_id) DO UPDATE SET (language, vector) = (excluded.language, excluded.vector);
  END IF;
  RETURN NULL;
END $$;

DROP FUNCTION corpus_search_vector(text, text);
"""
