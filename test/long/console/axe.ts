/** What axe finds on a page as it is shown: in light and dark, on a screen and on a phone. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const SCREEN = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }

/** The dark scheme has other colours and nothing else, so only the rules about colours run again. */
const colours = { runOnly: ['color-contrast', 'link-in-text-block'] }

interface Finding {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

async function violations(page: Page, rules: object): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules })
  const found = (await page.evaluate(`axe.run(document, ${options}).then((result) => result.violations)`)) as Finding[]
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary.slice(0, 200)} (${nodes.length})`,
  )
}

/**
 * The violations on what the page shows. Axe is put into the page by the test, so its context has `bypassCSP`: the
 * policy of the page forbids that to everybody else.
 */
export async function violationsOf(page: Page, what: string): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  const found: string[] = []
  for (const [size, viewport] of Object.entries({ screen: SCREEN, phone: PHONE })) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const rules = colorScheme === 'light' ? {} : colours
      found.push(...(await violations(page, rules)).map((one) => `${what}, ${size}, ${colorScheme}: ${one}`))
    }
  }
  await page.setViewportSize(SCREEN)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  return found
}
