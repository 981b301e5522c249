"""What is no model: the table of Django's default cache (see CACHES), as `createcachetable` would make it."""

LIMITS = """
CREATE TABLE accounts_limit (
  cache_key varchar(255) NOT NULL PRIMARY KEY,
  value text NOT NULL,
  expires timestamptz NOT NULL
);
CREATE INDEX accounts_limit_expires ON accounts_limit (expires);
"""
NO_LIMITS = "DROP TABLE accounts_limit"
