from adjudication.evaluation.commands import JudgeUnjudged as Command
