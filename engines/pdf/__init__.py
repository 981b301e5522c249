"""From a paper's pages to sections, paragraphs, sentences, citation markers and references. No Django."""
