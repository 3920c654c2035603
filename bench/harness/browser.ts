/** Debian's Chromium, driven by playwright-core. It is looked for at `CHROMIUM` and at the usual places. */
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** The package of Debian that has it. */
export const BROWSER_PACKAGE = 'chromium-headless-shell'

const places = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The path of the browser, or null. */
export function browserPath(): string | null {
  return places.find((place) => place !== '' && existsSync(place)) ?? null
}

/** What to do where there is none. */
export const browserMissing = `a browser is needed: apt-get install ${BROWSER_PACKAGE}, or CHROMIUM=/path/to/it`

export function launchBrowser(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
