"""Files that all processes of an installation share: in a folder, or in a bucket. Names are relative, with slashes."""
