/** The page of events and the page of one event. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { skip } from './browser.js'
import { eventually, makeWorld, textOf, type World } from './world.js'

let world: World
before(async () => {
  if (skip === false) world = await makeWorld()
})
after(async () => world?.close())

async function open(query = ''): Promise<Page> {
  const page = await world.page('ann')
  await page.goto(`/jobs/${world.jobId}/events${query}`)
  await page.locator('.list-row').first().waitFor()
  return page
}

function found(page: Page): Promise<string> {
  return textOf(page.locator('.events-head [role=status]'))
}

test('what is typed is the address, and nothing clears it', { skip }, async () => {
  const page = await open()
  await page.keyboard.press('/')
  await page.keyboard.type('label:Drop confidence>50')
  await page.waitForURL(/q=label%3ADrop\+confidence%3E50/)
  await eventually(
    () => found(page),
    (text) => /^\d+ events$/.test(text) && text !== '901 events',
  )
  const shown = await found(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/events\/[^?]+$/)
  await page.getByText('Event as sent').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL(/q=label%3ADrop/)
  await eventually(
    () => found(page),
    (text) => text === shown,
  )
  assert.equal(await page.getByRole('searchbox').inputValue(), 'label:Drop confidence>50')
  await page.reload()
  await eventually(
    () => found(page),
    (text) => text === shown,
  )
  await page.context().close()
})

test('a facet is counted when it is opened, and filters', { skip }, async () => {
  const page = await open()
  await page.locator('summary', { hasText: 'rule.id' }).click()
  const value = page.locator('details', { hasText: 'rule.id' }).locator('li button').first()
  await value.click()
  await page.waitForURL(/q=rule\.id/)
  const facet = page.locator('details', { hasText: 'rule.id' })
  await facet.locator('button[aria-pressed=true]').waitFor()
  const all = await facet.locator('li').count()
  assert.ok(all > 1, 'the other values stay in sight')
  const one = Number(await textOf(facet.locator('li .dim').first()))
  const two = Number(await textOf(facet.locator('li .dim').nth(1)))
  await facet.locator('li button').nth(1).click()
  await page.waitForURL(/q=rule\.id%3A[^+]+%2C[^+]+$/)
  await eventually(
    () => found(page),
    (text) => text === `${one + two} events`,
  )
  assert.equal(await facet.locator('li').count(), all)
  assert.equal(await facet.locator('button[aria-pressed=true]').count(), 2)
  await facet.locator('li button').first().click()
  await facet.locator('li button').nth(1).click()
  await page.waitForURL((url) => !url.search.includes('rule.id'))
  await page.context().close()
})

test('a field that is no decision point is counted when it is asked for', { skip }, async () => {
  const page = await open()
  await page.getByLabel('+ another field').fill('observer.product')
  await page.keyboard.press('Enter')
  const facet = page.locator('details', { hasText: 'observer.product' })
  await facet.locator('li button').first().click()
  await page.waitForURL(/q=observer\.product/)
  await page.context().close()
})

test('a query that finds nothing says why, and each condition can be left out', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/${world.jobId}/events?q=label:Drop+confidence%3Cmany`)
  await page.getByRole('heading', { name: 'The query cannot be read' }).waitFor()
  await page.getByText(/^Column 23: confidence is a number/).waitFor()
  await page.getByRole('button', { name: 'Without confidence<many' }).click()
  await page.locator('.list-row').first().waitFor()
  assert.equal(new URL(page.url()).search, '?q=label%3ADrop')
  await page.context().close()
})

test('columns are chosen, are part of the address, and of what is exported', { skip }, async () => {
  const page = await open('?q=label:Drop')
  const heads = (): Promise<string[]> => page.locator('.list-heads .value').allTextContents()
  assert.deepEqual(await heads(), ['event.module', 'event.outcome', 'event.severity'])
  await page.locator('summary[aria-label=Columns]').click()
  await page.getByRole('checkbox', { name: 'event.outcome' }).uncheck()
  await page.getByRole('searchbox', { name: 'Find a field' }).fill('observer.pro')
  await page.getByRole('checkbox', { name: 'observer.product' }).check()
  await page.getByRole('searchbox', { name: 'Find a field' }).fill('assigned')
  await page.getByRole('checkbox', { name: 'assigned' }).check()
  await page.waitForURL(
    /q=label%3ADrop&columns=event\.module%2Cevent\.severity%2Cobserver\.product%2Cservice\.assigned/,
  )
  await page.reload()
  await page.locator('.list-row').first().waitFor()
  assert.deepEqual(await heads(), ['event.module', 'event.severity', 'observer.product', 'assigned'])
  await page.locator('.list-row .value', { hasText: 'Endpoint Guard' }).first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.selection').getByRole('button', { name: 'Export' }).click(),
  ])
  const [head = ''] = readFileSync(await download.path(), 'utf8').split('\r\n')
  assert.match(head, /outlier,event\.module,event\.severity,observer\.product,assigned$/)
  await page.locator('summary[aria-label=Export]').click()
  const [whole] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'All that match, CSV' }).click(),
  ])
  const [names = ''] = readFileSync(await whole.path(), 'utf8').split('\r\n')
  assert.match(names, /outlier,event\.module,event\.severity,observer\.product,service\.assigned$/)
  await page.context().close()
})

test('a search shows how far it is and its rows as they are found, and ends with its view', { skip }, async () => {
  const page = await open()
  const held: Route[] = []
  const given: { after?: string; within_ms?: number; size?: number }[] = []
  await page.route('**/api/v2/events/list', async (route) => {
    const body = route.request().postDataJSON()
    if (body.query === undefined || body.count === true) return route.continue()
    given.push(body)
    if (body.after !== undefined) return void held.push(route)
    const { events } = await (await route.fetch({ postData: { ...body, size: 2 } })).json()
    const part = { events, next: 'later', looked_at: 400, looked_back_to: '2020-01-01T00:00:00Z', job_events: 901 }
    await route.fulfill({ json: { ...part, total_count: null, total_count_is_exact: false } })
  })
  await page.getByRole('searchbox').fill('rule.severity:*')
  await page.keyboard.press('Enter')
  await page.getByText('Looked at 400 of 901 events, back to').waitFor()
  assert.ok(given[0]!.within_ms! <= 300, 'the first rows come soon')
  await eventually(
    () => page.evaluate('document.querySelector(".searching progress").value'),
    (value) => value === 400,
  )
  await page.getByRole('searchbox').fill('-rule.severity:*')
  const [ended] = await Promise.all([
    page.waitForEvent('requestfailed', (request) => request.postDataJSON()?.after === 'later'),
    page.keyboard.press('Enter'),
  ])
  assert.match(ended.failure()?.errorText ?? '', /ABORTED/)
  await eventually(
    async () => held.length,
    (waiting) => waiting === 2,
  )
  const end = { events: [], next: null, looked_at: 501, looked_back_to: null, job_events: 901 }
  await held[1]!.fulfill({ json: { ...end, total_count: null, total_count_is_exact: false } })
  await page.locator('.searching').waitFor({ state: 'detached' })
  await page.context().close()
})

test('rows are gone through, selected and voted on by keys', { skip }, async () => {
  const page = await open('?q=-consensus:*')
  const cursor = (): Promise<string | null> => page.locator('.list-row.cursor').getAttribute('data-at')
  await page.keyboard.press('j')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('k')
  assert.equal(await cursor(), '1')
  await page.keyboard.press('x')
  for (let n = 0; n < 3; n++) await page.keyboard.press('j')
  await page.keyboard.press('Shift+X')
  await page.getByText('4 events selected').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('4 events selected').waitFor({ state: 'detached' })
  await page.keyboard.press('x')
  await page.keyboard.press('2')
  await page.keyboard.press('z')
  await page.getByText(/^Undone: Drop on “/).waitFor()
  await page.context().close()
})

test('all that match are counted, voted on by the service, and taken back', { skip }, async () => {
  const page = await open('?q=-consensus:*')
  const counted = await eventually(
    () => found(page),
    (text) => /\d/.test(text),
  )
  const before = Number(/[\d,]+/.exec(counted)?.[0].replace(',', ''))
  await page.keyboard.press('*')
  await page.getByText(/^all [\d,]+ events that match$/).waitFor()
  await page.keyboard.press('2')
  const give = page.getByRole('button', { name: /for [\d,]+ events/ })
  await give.waitFor()
  assert.match(await textOf(give), new RegExp(`for ${before.toLocaleString('en')} events`))
  await give.click()
  await page.locator('.toast', { hasText: /for [\d,]+ events\./ }).waitFor()
  assert.equal(new URL(page.url()).search, '?q=-consensus:*')
  const votedBy = async (): Promise<number> =>
    (
      await world.client.post('/api/v2/events/list', {
        job_ids: [world.jobId],
        count: true,
        filters: [{ field: 'service.consensus', operator: 'not exists' }],
      })
    ).body.total_count
  assert.equal(await votedBy(), 0)
  await page.keyboard.press('u')
  await eventually(votedBy, (unvoted) => unvoted === before)
  await page.context().close()
})

/** Votes that were sent, as event and label. */
function sentVotes(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    const [, id = ''] = /events\/\d+\/([^/]+)\/feedback$/.exec(url.pathname) ?? []
    if (id !== '' && request.method() !== 'GET')
      sent.push(`${request.method()} ${id} ${url.searchParams.get('feedback_label') ?? ''}`.trim())
  })
  return sent
}

test('a row that is taken out of all that match is spared, and the others are counted before', { skip }, async () => {
  const page = await open('?q=-consensus:*')
  const sent = sentVotes(page)
  const counted = await eventually(
    () => found(page),
    (text) => /\d/.test(text),
  )
  const all = Number(/[\d,]+/.exec(counted)?.[0].replace(',', ''))
  const idOf = async (): Promise<string> => {
    await page.keyboard.press('Enter')
    await page.locator('.tree').waitFor()
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) as string)
    await page.keyboard.press('Escape')
    await page.locator('.list-row').first().waitFor()
    return id
  }
  const spared = await idOf()
  await page.keyboard.press('*')
  await page.getByText(/^all [\d,]+ events that match$/).waitFor()
  await page.keyboard.press('x')
  await page.getByText(`all that match but 1 (${all - 1} events)`).waitFor()
  assert.equal(await page.locator('.list-row .tick.on').count(), (await page.locator('.list-row').count()) - 1)
  await page.keyboard.press('1')
  const give = page.getByRole('button', { name: `Escalate for ${all - 1} events` })
  await give.waitFor()
  assert.deepEqual(sent, [], 'nothing is voted on before the question is answered')
  await give.click()
  await page.locator('.toast', { hasText: `Escalate for ${all - 1} events.` }).waitFor()
  const unvoted = async (): Promise<number> =>
    (
      await world.client.post('/api/v2/events/list', {
        job_ids: [world.jobId],
        count: true,
        filters: [{ field: 'service.consensus', operator: 'not exists' }],
      })
    ).body.total_count
  const votesOn = async (id: string): Promise<number> =>
    (await world.client.get(`/api/v2/events/${world.jobId}/${id}/consensus`)).body.votes.filter(
      ({ analyst, event_id }: { analyst: string; event_id: string }) => analyst === 'ann' && event_id === id,
    ).length
  assert.equal(await votesOn(spared), 0)
  await page.keyboard.press('u')
  await eventually(unvoted, (left) => left === all)
  await page.context().close()
})

test('a question that is not answered keeps what is chosen', { skip }, async () => {
  const page = await open('?q=label:Drop')
  await page.keyboard.press('*')
  await page.keyboard.press('x')
  await page.getByText(/^all that match but 1/).waitFor()
  await page.keyboard.press('2')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.getByText(/^all that match but 1/).waitFor()
  await page.context().close()
})

/** A key as another layout sends it. */
function press(page: Page, key: string, code: string, held: object = {}): Promise<unknown> {
  const how = JSON.stringify({ key, code, bubbles: true, ...held })
  return page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', ${how}))`)
}

test('Caps Lock is no Shift: x is one row, and only Shift x is a range', { skip }, async () => {
  const page = await open()
  await page.keyboard.press('x')
  for (let n = 0; n < 4; n++) await page.keyboard.press('j')
  await press(page, 'X', 'KeyX')
  await page.getByText('2 events selected').waitFor()
  await page.keyboard.press('k')
  await press(page, 'x', 'KeyX', { shiftKey: true })
  await page.getByText('3 events selected').waitFor()
  await page.context().close()
})

test('on other layouts keys are where they are on ours', { skip }, async () => {
  const page = await open()
  const cursor = (): Promise<string | null> => page.locator('.list-row.cursor').getAttribute('data-at')
  await press(page, 'о', 'KeyJ')
  await press(page, 'ξ', 'KeyJ')
  await eventually(cursor, (at) => at === '2')
  await press(page, 'ч', 'KeyX')
  await page.getByText('1 event selected').waitFor()
  const sent = sentVotes(page)
  await press(page, '!', 'Digit1', { shiftKey: true })
  await press(page, 'é', 'Digit2')
  await eventually(
    async () => sent,
    (all) => all.length > 0,
  )
  assert.match(sent.join(), /^PUT [^ ]+ Drop$/)
  await press(page, 'г', 'KeyU')
  await page.getByText(/^Undone: Drop on “/).waitFor()
  await page.context().close()
})

test('at most eighty rows are in the page, however far one scrolls', { skip }, async () => {
  const page = await open()
  for (let n = 0; n < 30; n++) {
    await page.mouse.move(900, 500)
    await page.mouse.wheel(0, 2000)
    await page.waitForTimeout(30)
    assert.ok((await page.locator('.list-row').count()) <= 80)
  }
  await eventually(
    () => page.locator('.list-row').last().getAttribute('data-at'),
    (at) => Number(at) > 400,
  )
  await page.context().close()
})

test('a view is saved as a file: all that match, or what is selected', { skip }, async () => {
  const page = await open('?q=label:Drop')
  const counted = await eventually(
    () => found(page),
    (text) => /\d/.test(text),
  )
  const all = Number(/[\d,]+/.exec(counted)?.[0].replace(',', ''))
  const take = async (name: string): Promise<string> => {
    await page.locator('summary', { hasText: 'Export' }).click()
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText(name, { exact: true }).click()])
    await page.keyboard.press('Escape')
    return readFileSync(await download.path(), 'utf8')
  }
  const table = await take('All that match, CSV')
  assert.match(table, /^\uFEFF?event_id,time,title,severity,decision/)
  assert.equal(table.trimEnd().split('\r\n').length, all + 1)
  const lines = (await take('All that match, NDJSON')).trimEnd().split('\n')
  assert.equal(lines.length, all)
  assert.ok(lines.every((line) => JSON.parse(line).result_label === 'Drop'))
  await page.context().close()
})

test('on paper a view has its rows, and no controls', { skip }, async () => {
  const page = await open()
  await page.evaluate('window.print = () => { window.printed = document.querySelectorAll(".list-row").length }')
  await page.locator('summary', { hasText: 'Export' }).click()
  await page.getByRole('button', { name: 'Print what is loaded' }).click()
  const printed = await eventually(
    () => page.evaluate('window.printed ?? 0'),
    (rows) => (rows as number) > 0,
  )
  assert.ok((printed as number) >= 100, String(printed))
  await page.emulateMedia({ media: 'print' })
  assert.ok(!(await page.locator('.bar').isVisible()))
  assert.ok(!(await page.locator('.facets').isVisible()))
  assert.ok(await page.locator('.list-row').first().isVisible())
  await page.context().close()
})

test('new events are said and taken in when they are asked for; the row under the cursor stays', { skip }, async () => {
  const page = await open()
  await page.keyboard.press('j')
  const before = await textOf(page.locator('.list-row.cursor'))
  await world.client.post('/api/v1/events/newest', { job_id: world.jobId, title: 'The newest', raw_body: { rule: 1 } })
  await page.getByRole('button', { name: /1 new event/ }).waitFor()
  assert.equal(await textOf(page.locator('.list-row.cursor')), before)
  await page.keyboard.press('n')
  await page.locator('.list-row', { hasText: 'The newest' }).waitFor()
  await page.context().close()
})

test('an event is shown whole: why, votes, similar ones, what was sent, and what happened', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/${world.jobId}/events/e-0`)
  for (const text of ['What drives this decision', 'Similar events', 'Event as sent', 'History'])
    await page
      .getByText(text)
      .first()
      .waitFor()
      .catch((error: unknown) => {
        if (text !== 'What drives this decision') throw error
      })
  await page.keyboard.press('1')
  await page.locator('.votes button[aria-pressed=true]').waitFor()
  await page.getByRole('cell', { name: 'ann', exact: true }).waitFor()
  await page.getByRole('button', { name: /^Events with this value: rule\.id/ }).click()
  await page.waitForURL(/events\?q=rule\.id%3A/)
  await page.context().close()
})

test("times are in the reader's zone and name it, and all of them change to UTC at once", { skip }, async () => {
  for (const [timezoneId, zone] of [
    ['Asia/Kolkata', 'GMT+5:30'],
    ['America/St_Johns', 'GMT-3:30'],
  ] as const) {
    const page = await world.page('ann', { timezoneId })
    await page.goto(`/jobs/${world.jobId}/events/e-500`)
    const time = page.locator('.card-head time')
    await time.waitFor()
    const at = new Date((await time.getAttribute('datetime')) ?? '')
    const textIn = (timeZone: string): string => {
      const day = { year: 'numeric', month: 'short', day: 'numeric' } as const
      const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
      return new Intl.DateTimeFormat('en', { ...day, ...clock, timeZoneName: 'short', timeZone }).format(at)
    }
    assert.equal(await time.getAttribute('title'), textIn(timezoneId))
    assert.ok(textIn(timezoneId).endsWith(` ${zone}`))
    await page.locator('.foot').getByRole('button', { name: 'Times: GMT' }).click()
    await eventually(
      () => time.getAttribute('title'),
      (text) => text === textIn('UTC'),
    )
    await page.reload()
    await time.waitFor()
    assert.match((await time.getAttribute('title')) ?? '', / UTC$/, 'the choice stays')
    await page.context().close()
  }
})

test('a night in which clocks change has two times of one name, which the zone tells apart', { skip }, async () => {
  for (const [id, at] of [
    ['before', '2026-10-25T00:30:00Z'],
    ['after', '2026-10-25T01:30:00Z'],
  ])
    await world.client.post(`/api/v1/events/clocks-${id}`, {
      job_id: world.jobId,
      raw_body: { '@timestamp': at, rule: { name: 'Clocks' } },
    })
  const page = await world.page('ann', { timezoneId: 'Europe/Berlin' })
  const shown: string[] = []
  for (const id of ['before', 'after']) {
    await page.goto(`/jobs/${world.jobId}/events/clocks-${id}`)
    const time = page.locator('.card-head time')
    await time.waitFor()
    shown.push((await time.getAttribute('title')) ?? '')
  }
  assert.deepEqual(shown, ['Oct 25, 2026, 02:30:00 GMT+2', 'Oct 25, 2026, 02:30:00 GMT+1'])
  await page.context().close()
})

test('with a clock that is ten minutes slow no row is missing, and it is said that clocks differ', {
  skip,
}, async () => {
  await world.client.post('/api/v1/events/just-now', { job_id: world.jobId, title: 'Just now', raw_body: { rule: 1 } })
  for (const [minutes, text] of [
    [-10, 'Your clock is 10 minutes behind the service.'],
    [10, 'Your clock is 10 minutes ahead of the service.'],
  ] as const) {
    const page = await world.page('ann')
    await page.addInitScript(`{
      const now = Date.now
      Date.now = () => now() + ${60_000 * minutes}
      const Real = Date
      Date = class extends Real { constructor(...all) { all.length === 0 ? super(Real.now()) : super(...all) } }
    }`)
    await page.goto(`/jobs/${world.jobId}/events?sort=confidence_score`)
    await page.locator('.list-row').first().waitFor()
    await page.getByText(text).waitFor()
    const [all, sorted] = await Promise.all([
      world.client.post('/api/v2/events/list', { job_ids: [world.jobId], count: true, size: 1 }),
      eventually(
        () => found(page),
        (shown) => /^[\d,]+ events$/.test(shown),
      ),
    ])
    assert.equal(sorted, `${all.body.total_count.toLocaleString('en')} events`)
    await page.goto(`/jobs/${world.jobId}/events/just-now`)
    await page.locator('.card-head time', { hasText: /^(now|1 min\. ago)$/ }).waitFor()
    await page.context().close()
  }
})

test('what enrichments added stands apart, and is a filter like any field', { skip }, async () => {
  const body = { rule: { id: 'R-1' }, enrichment: { owners: { team: 'payments' } } }
  await world.client.post('/api/v1/events/enriched', { job_id: world.jobId, title: 'Enriched', raw_body: body })
  const page = await world.page('ann')
  await page.goto(`/jobs/${world.jobId}/events/enriched`)
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Added by enrichments' }) })
  await panel.getByText('payments').waitFor()
  await panel.getByRole('button', { name: 'Events with this value: enrichment.owners.team' }).click()
  await page.waitForURL(/q=enrichment\.owners\.team%3Apayments/)
  await page.context().close()
})

test('an event that is not there says so', { skip }, async () => {
  const page = await world.page('ann')
  await page.goto(`/jobs/${world.jobId}/events/${encodeURIComponent('no/such event')}`)
  await page.getByText('No such event').waitFor()
  await page.context().close()
})
