"""What Django's constraints cannot say: a verdict's (criterion, value) is a level of that criterion's scale."""

LEVEL_EXISTS = """
ALTER TABLE adjudication_verdict ADD CONSTRAINT verdict_value_on_scale
  FOREIGN KEY (criterion_id, value) REFERENCES annotation_level (criterion_id, value);
"""
