/** `decide completion`: scripts for shells. They ask `decide __complete WORD ...`, which main.ts answers. */
import type { Context } from '../context.js'
import { UsageError } from '../failure.js'

const scripts: Readonly<Record<string, string>> = {
  bash: `_decide() {
  local IFS=$'\\n'
  local found="$(decide __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)"
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _decide decide
`,
  zsh: `#compdef decide
_decide() {
  local -a found
  found=("\${(@f)$(decide __complete "\${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
  _describe decide found || _files
}
compdef _decide decide
`,
  fish: `complete -c decide -f -a '(decide __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

export async function completion(context: Context, _: object, shell: string): Promise<void> {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
  if (script === undefined) throw new UsageError(`there is no completion for ${shell}; name bash, zsh or fish`)
  context.world.stdout.write(script)
}
