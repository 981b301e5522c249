"""`litmus completion SHELL`: what a shell runs to complete commands, steps and options; files it completes itself."""

import sys
from argparse import SUPPRESS, Action, _SubParsersAction
from typing import Any

SHELLS = {
    "bash": """_litmus() {
    local IFS=$'\\n'
    COMPREPLY=($(litmus --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _litmus litmus
""",
    "zsh": """_litmus() {
    local -a found
    found=(${(f)"$(litmus --complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    (( $#found )) && compadd -- $found || _files
}
compdef _litmus litmus
""",
    "fish": """complete -c litmus -a '(litmus --complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
""",
}
HOW = {
    "bash": 'Add to ~/.bashrc: eval "$(litmus completion bash)"',
    "zsh": 'Add to ~/.zshrc, below compinit: eval "$(litmus completion zsh)"',
    "fish": "Add to ~/.config/fish/config.fish: litmus completion fish | source",
}


def script(words: list[str]) -> int:
    """Print the script for the shell that is named. Exit code 2 for another one."""
    if len(words) != 1 or words[0] not in SHELLS:
        print("Example:\n  litmus completion bash\n\nShells:", file=sys.stderr)
        print(*(f"  {HOW[name]}" for name in SHELLS), sep="\n", file=sys.stderr)
        return 0 if words[:1] in (["--help"], ["-h"]) else 2
    print(SHELLS[words[0]], end="")
    return 0


def candidates(parser: Any, words: list[str]) -> list[str]:
    """How the last of the words can go on: options of the command or step, its steps, and choices."""
    *before, begun = words
    for word in before:
        parser = next((choices[word] for choices in _steps(parser) if word in choices), parser)
    if before and (action := _option(parser, before[-1])) is not None and action.nargs != 0:
        found = [str(choice) for choice in action.choices or ()]
    elif begun.startswith("-"):
        found = [flag for each in _shown(parser) for flag in each.option_strings if flag.startswith("--")]
    else:
        found = [name for choices in _steps(parser) for name in choices]
    return [name for name in found if name.startswith(begun)]


def _steps(parser: Any) -> list[dict[str, Any]]:
    return [action.choices for action in _shown(parser) if isinstance(action, _SubParsersAction)]


def _option(parser: Any, word: str) -> Action | None:
    return next((action for action in _shown(parser) if word in action.option_strings), None)


def _shown(parser: Any) -> list[Action]:
    return [action for action in parser._actions if action.help != SUPPRESS]
