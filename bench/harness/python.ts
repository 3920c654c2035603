/** Virtual environments for tools that are written in Python. Each may be deleted at any time. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Runs a command, shows its output, and returns its exit code. @throws Error if it cannot be started. */
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
 * Makes the environment in the folder `home` from the file `requirements`, again if that file changed. Returns the
 * folder of its commands. @throws Error if Python or its registry fails.
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
