/**
 * Where real counterparts come from: registries and tools of the machine, into `.cache/integrations/` beside the project.
 *
 * What is not to be had here (no Java, no Go, a registry that does not answer) is said, and its tests are skipped; what is
 * there and does not work fails them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project, seen from where this file is compiled to. */
const project = fileURLToPath(new URL('../../../../', import.meta.url))
const cache = join(project, '.cache/integrations')
export const sources = join(project, 'test/long/integrations')

/** `INTEGRATIONS=short`: fewer kills and less data, for CI. */
export const isShort = process.env.INTEGRATIONS === 'short'

const INSTALL_MS = 300_000

/** A counterpart cannot be had on this machine. */
class NotHere extends Error {}

/** Runs an installer. @throws NotHere where it is not there, or does not come to an end well. */
function run(command: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}): void {
  const { error, status, stderr, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: INSTALL_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  })
  if (error !== undefined) throw new NotHere(`${command} is not to be used here: ${error.message}`)
  const last = `${stdout}\n${stderr}`.trim().split('\n').at(-1) ?? ''
  if (status !== 0) throw new NotHere(`${command} ${args[0]} ended with ${status}: ${last.slice(0, 300)}`)
}

/** A folder of the cache that `fill` fills once; half of it is never taken for all. */
function cached(name: string, fill: (folder: string) => void): string {
  const folder = join(cache, name)
  if (existsSync(join(folder, 'whole'))) return folder
  const making = `${folder}.${process.pid}`
  mkdirSync(making, { recursive: true })
  try {
    fill(making)
    mkdirSync(join(making, 'whole'))
    rmSync(folder, { recursive: true, force: true })
    renameSync(making, folder)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  return folder
}

/** Jars of a pom.xml in a folder of the sources, from Maven Central. */
export function jarsOf(name: string, folder: string): string {
  return cached(name, (to) => {
    run('java', ['-version'])
    run('mvn', [
      '-q',
      '-B',
      '-f',
      join(sources, folder, 'pom.xml'),
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${to}`,
    ])
  })
}

/** Asks Debian's packages; the lists of a new machine are empty, and fetched then. */
function aptGet(args: readonly string[], folder: string): void {
  try {
    run('apt-get', args, { cwd: folder })
  } catch {
    run('apt-get', ['update', '-q'])
    run('apt-get', args, { cwd: folder })
  }
}

/** Debian packages, laid out in a folder of their own; nothing of the machine changes. */
export function debianOf(name: string, packages: readonly string[]): string {
  return cached(name, (to) => {
    aptGet(['download', '-q', ...packages], to)
    for (const file of readdirSync(to).filter((one) => one.endsWith('.deb')))
      run('dpkg-deb', ['-x', join(to, file), to])
  })
}

/**
 * Debian packages with everything that they need, as a root directory of their own, set up by a script of /bin/sh in it. Only
 * root may use it (chroot).
 */
export function debianRoot(name: string, packages: readonly string[], script: string): string {
  return cached(name, (root) => {
    if (process.getuid?.() !== 0) throw new NotHere('only root may work in a root directory of its own')
    const archives = join(root, 'archives')
    mkdirSync(join(archives, 'partial'), { recursive: true })
    writeFileSync(join(root, 'status'), '')
    const options = [
      `Dir::State::status=${root}/status`,
      `Dir::Cache::archives=${archives}`,
      'APT::Sandbox::User=root',
    ].flatMap((one) => ['-o', one])
    aptGet(
      [
        '-q',
        '-y',
        ...options,
        '--no-install-recommends',
        '--download-only',
        'install',
        'dash',
        'bash',
        'coreutils',
        'libc-bin',
        'tzdata',
        ...packages,
      ],
      root,
    )
    for (const file of readdirSync(archives).filter((one) => one.endsWith('.deb')))
      run('dpkg-deb', ['-x', join(archives, file), root])
    rmSync(archives, { recursive: true })
    for (const folder of ['dev', 'tmp']) mkdirSync(join(root, folder), { recursive: true })
    run('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3'])
    run('mknod', ['-m', '666', join(root, 'dev/urandom'), 'c', '1', '9'])
    writeFileSync(join(root, 'set-up.sh'), script)
    run('chroot', [root, '/bin/sh', '/set-up.sh'])
  })
}

/** A program of Go, from the module proxy. */
export function goProgram(name: string, module: string): string {
  return cached(name, (to) =>
    run('go', ['install', module], { env: { ...process.env, GOBIN: to, GOFLAGS: '-mod=mod' } }),
  )
}

/** Packages of PyPI in a folder of their own, for PYTHONPATH. */
export function pythonOf(name: string, packages: readonly string[]): string {
  return cached(name, (to) =>
    run('python3', ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--target', to, ...packages]),
  )
}

/** The first of these that can be had. @throws NotHere with what the last one says. */
export function firstOf<T>(...ways: readonly (() => T)[]): T {
  for (const [at, way] of ways.entries()) {
    try {
      return way()
    } catch (error) {
      if (!(error instanceof NotHere) || at === ways.length - 1) throw error
      console.log(`${error.message}; trying another way`)
    }
  }
  throw new NotHere('there is no way')
}

/** What `install` gives, or null where it is not to be had here: the tests of that counterpart are to be skipped. */
export function counterpart<T>(name: string, install: () => T): T | null {
  try {
    return install()
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    console.log(`SKIPPED: ${name} cannot be had on this machine: ${error.message}`)
    return null
  }
}

/** Why tests of a counterpart are skipped, as an option of a test; false where it is there. */
export function skipUnless(there: unknown, name: string): string | false {
  return there === null ? `${name} cannot be had on this machine` : false
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
