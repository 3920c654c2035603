/**
 * A real browser for the tests of the console (bench/harness/browser.ts). Where there is none and apt may be used, it
 * is installed; else the tests are skipped, and say what to install.
 */
import { spawnSync } from 'node:child_process'
import type { Browser } from 'playwright-core'
import { BROWSER_PACKAGE, browserMissing, browserPath, launchBrowser } from '../../../bench/harness/browser.js'

function install(): void {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['update', '-qq'], { env })
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', BROWSER_PACKAGE], { env, stdio: 'inherit' })
}

if (browserPath() === null) install()

/** Why the tests do not run, or false. */
export const skip = browserPath() === null ? browserMissing : (false as const)

export function launch(): Promise<Browser> {
  return launchBrowser(browserPath() as string)
}
