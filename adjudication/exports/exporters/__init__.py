"""One module for each export, or for a family of them; `adjudication.exports.registry` lists them."""
