/**
 * Installs real counterparts from registries and with tools of the machine, into `.cache/integrations/` beside the
 * project.
 *
 * If a counterpart cannot be installed here (no Java, no Go, a registry that does not answer), its tests are skipped
 * and the reason is printed. If it is installed and does not work, its tests fail.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project, relative to the compiled file. */
const project = fileURLToPath(new URL('../../../../', import.meta.url))
const cache = join(project, '.cache/integrations')
export const sources = join(project, 'test/long/integrations')

/** `INTEGRATIONS=short`: fewer kills and less data, for CI. */
export const isShort = process.env.INTEGRATIONS === 'short'

const INSTALL_MS = 300_000

/** A counterpart cannot be installed on this machine. */
class NotHere extends Error {}

/** Runs an installer. @throws NotHere if it does not exist or fails. */
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

/** A folder of the cache that `fill` fills once. A half-filled folder never counts as filled. */
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

/** Queries Debian's packages. A new machine has no package lists; they are fetched then. */
function aptGet(args: readonly string[], folder: string): void {
  try {
    run('apt-get', args, { cwd: folder })
  } catch {
    run('apt-get', ['update', '-q'])
    run('apt-get', args, { cwd: folder })
  }
}

/** Debian packages, laid out in a folder of their own; the machine does not change. */
export function debianOf(name: string, packages: readonly string[]): string {
  return cached(name, (to) => {
    aptGet(['download', '-q', ...packages], to)
    for (const file of readdirSync(to).filter((one) => one.endsWith('.deb')))
      run('dpkg-deb', ['-x', join(to, file), to])
  })
}

/**
 * Debian packages with all their dependencies, as a root directory of their own. A script for /bin/sh sets it up from
 * inside. Only root may use it (chroot).
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

/** A program in Go, from the module proxy. */
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

/** The first of these that can be installed. @throws NotHere with the reason of the last one. */
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

/** The result of `install`; null if the counterpart cannot be installed here, so that its tests are skipped. */
export function counterpart<T>(name: string, install: () => T): T | null {
  try {
    return install()
  } catch (error) {
    if (!(error instanceof NotHere)) throw error
    console.log(`SKIPPED: ${name} cannot be had on this machine: ${error.message}`)
    return null
  }
}

/** The reason why tests of a counterpart are skipped, as an option of a test; false if it is installed. */
export function skipUnless(there: unknown, name: string): string | false {
  return there === null ? `${name} cannot be had on this machine` : false
}
