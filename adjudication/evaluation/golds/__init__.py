"""The kinds of gold, one module each; `registry.GOLDS` names them."""
