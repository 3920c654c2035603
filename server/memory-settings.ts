/**
 * How the process of the service is started, so that memory goes back to the system. What starts it has the same: the
 * scripts of package.json, the container image, the unit of systemd; a test compares them. Started in another way, the
 * program replaces itself by one with these settings, where Node.js can (from 22.15 on).
 */

/**
 * V8 keeps as much room for new objects as it has ever needed, twice 16 MiB in each thread. Little lives long here:
 * with 4 MiB an event costs the same.
 */
export const youngGeneration = '--max-semi-space-size=4'

/**
 * Variables of glibc, which reads them before a program begins. By default it raises the size from which a block is
 * mapped by itself, and goes back to the system, up to 32 MiB. Then what bodies and models took stays in its arenas.
 */
export const mallocVariables = {
  MALLOC_ARENA_MAX: '4',
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '65536',
} as const

/** A call of the system: the same process begins anew with this program. Not in all versions of Node.js. */
type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never

/**
 * Begins anew with the settings, as the same process: for whoever started it nothing changes. Returns where there is
 * nothing to do: another system, a version of Node.js that cannot, settings that are there, others that were chosen.
 */
export function beginWithMemorySettings(): void {
  const { env, execPath, execArgv, argv, platform } = process
  const { execve } = process as { execve?: Execve }
  const isChosen = Object.keys(mallocVariables).some((name) => env[name] !== undefined)
  if (platform !== 'linux' || execve === undefined || isChosen) return
  execve(execPath, [execPath, ...execArgv, youngGeneration, ...argv.slice(1)], { ...env, ...mallocVariables })
}
