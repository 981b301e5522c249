"""What machine annotators need that is plain text and numbers: prompts, strict reading of answers, the lexical one."""
