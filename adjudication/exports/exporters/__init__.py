"""One module for each export, or for a family of them; `adjudication.exporting.registry` lists them."""
