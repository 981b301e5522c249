from adjudication.evaluation.commands.judge_unjudged import Command
