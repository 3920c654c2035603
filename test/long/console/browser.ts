/**
 * A real browser for the tests of the console: Debian's Chromium by playwright-core.
 *
 * It is looked for at `CHROMIUM` and at the usual places. Where there is none and apt may be used, it is installed;
 * else the tests are skipped, and say what to install.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const places = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const PACKAGE = 'chromium-headless-shell'

function found(): string | undefined {
  return places.find((place) => place !== '' && existsSync(place))
}

function install(): void {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['update', '-qq'], { env })
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', PACKAGE], { env, stdio: 'inherit' })
}

/** The path of the browser, or null. */
export function browserPath(): string | null {
  if (found() === undefined) install()
  return found() ?? null
}

/** Why the tests do not run, or false. */
export const skip =
  browserPath() === null ? `a browser is needed: apt-get install ${PACKAGE}, or CHROMIUM=/path/to/it` : (false as const)

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath() as string, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
