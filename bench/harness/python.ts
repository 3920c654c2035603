/** Python where the best tool for something is written in it: a virtual environment of its own for each, which may be deleted at any time. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Runs a command with its output shown; its exit code. @throws Error where it cannot be started. */
export function runShown(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): number {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: 'inherit' })
  if (error !== undefined) throw new Error(`${command} cannot be run (${error.message})`)
  return status ?? 1
}

/**
 * The environment in the folder `home` with what the file `requirements` says, made anew where that changed; the folder of its
 * commands. @throws Error where Python or its registry fails.
 */
export function pythonEnvironment(home: string, requirements: string): string {
  mkdirSync(home, { recursive: true })
  const done = join(home, 'installed.txt')
  const wanted = readFileSync(requirements, 'utf8')
  const commands = join(home, 'venv/bin')
  if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return commands
  if (runShown('python3', ['-m', 'venv', '--clear', 'venv'], home) !== 0)
    throw new Error('no virtual environment of Python could be made')
  const install = ['install', '--quiet', '--disable-pip-version-check', '-r', requirements]
  if (runShown(join(commands, 'pip'), install, home) !== 0)
    throw new Error(`what ${requirements} names could not be installed`)
  writeFileSync(done, wanted)
  return commands
}
