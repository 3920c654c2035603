/** Runs the tools of the machine that faults need. */
import { spawnSync } from 'node:child_process'

/** @throws Error with what the tool said. */
export function tool(command: string, ...args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000 })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr.trim()}`)
  return stdout.trim()
}

/** Why this machine cannot have such a fault; false where it can. */
export function lacks(what: string, tried: () => void): string | false {
  if (process.getuid?.() !== 0) return `${what} need root`
  try {
    tried()
    return false
  } catch (error) {
    return `${what} cannot be had on this machine: ${(error as Error).message}`
  }
}
