/** Single sign-on in the console: the button, the way to the provider and back, and the way out. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startService, type TestService } from '../../support/service.js'
import { freePort } from '../../support/servers/free-port.js'
import { CLIENT, startProvider, type TestProvider } from '../../support/sso/provider.js'
import { launch, skip } from './browser.js'

let provider: TestProvider
let service: TestService
let browser: Browser
let base: string

before(async () => {
  if (skip !== false) return
  const port = await freePort()
  base = `http://127.0.0.1:${port}`
  provider = await startProvider(base)
  provider.groups.set('ann', ['soc'])
  service = await startService({
    port,
    signOn: {
      publicUrl: base,
      oidcIssuer: provider.issuer,
      oidcClientId: CLIENT.id,
      oidcClientSecret: CLIENT.secret,
      oidcRoles: [{ group: 'soc', role: 'analyst' }],
      passwords: false,
    },
  })
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await service?.close()
  await provider?.close()
})

const button = (page: Page) => page.getByRole('link', { name: 'Sign in with single sign-on' })

test('without passwords the button stands alone, and a key is typed where somebody asks for it', { skip }, async () => {
  const page = await browser.newPage({ baseURL: base, viewport: { width: 390, height: 844 } })
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign in with an API key' }).waitFor()
  assert.equal(await page.locator('input').count(), 0)
  await page.getByRole('button', { name: 'Sign in with an API key' }).click()
  await page.locator('input[name=key]').waitFor()
  assert.ok(await button(page).isVisible())
  await page.close()
})

test('a person signs in at the provider, and who signs out is signed out there, too', { skip }, async () => {
  const page = await browser.newPage({ baseURL: base })
  await page.goto('/jobs')
  await button(page).click()
  await page.locator('input[name=login]').fill('ann')
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  const person = page.locator('details.menu.right summary')
  const consent = page.getByText('Authorize')
  await person.or(consent).first().waitFor()
  if (!(await person.isVisible())) await page.locator('button[type=submit]').click()
  await person.click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL((url) => url.origin === provider.issuer)
  await page.locator('button[value=yes]').click()
  await page.waitForURL(`${base}/`)
  await button(page).click()
  await page.locator('input[name=login]').waitFor()
  await page.close()
})
