import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  firstPage,
  firstRequest,
  fixedRange,
  isNewestFirst,
  rowsKey,
  selectionBody,
  timeFilters,
  viewOf,
} from '../../../server/console/first-requests.js'

const FROM = '2026-01-30T10:00:00.000Z'
const TO = '2026-01-30T18:00:00.000Z'
const filter = (operator: string, value: string) => ({ field: '@timestamp', operator, value })

const ranges: readonly [string, readonly object[]][] = [
  ['', []],
  ['15m', [filter('gte', 'now-15m'), filter('lte', 'now')]],
  ['8h', [filter('gte', 'now-8h'), filter('lte', 'now')]],
  ['7d', [filter('gte', 'now-7d'), filter('lte', 'now')]],
  [`${FROM}~${TO}`, [filter('gte', FROM), filter('lte', TO)]],
  [`${FROM}~`, [filter('gte', FROM)]],
  [`~${TO}`, [filter('lte', TO)]],
]

for (const [time, filters] of ranges)
  test(`a range of time is part of the address and of every request: ${time || 'none'}`, () => {
    const view = viewOf(3, { time })
    assert.deepEqual(timeFilters(view), filters)
    const search = `?${new URLSearchParams({ time })}`
    assert.deepEqual(firstRequest({ pathname: '/jobs/3/events', search })?.body, firstPage(view))
    assert.deepEqual(selectionBody(view).filters ?? [], filters)
  })

test('a range that nobody can mean is none', () => {
  for (const time of ['8', 'h', '-8h', '8w', '~', 'soon~later', `${FROM}~${TO}~${TO}`, '2026~2027', 'now-8h'])
    assert.deepEqual([timeFilters({ time }), fixedRange(time)], [[], null], time)
})

test('newest first is by the time of the events, or by their arrival, and another list each', () => {
  const own = viewOf(3, {})
  const arrival = viewOf(3, { sort: 'timestamp_inference' })
  assert.deepEqual([firstPage(own).newest_by, firstPage(arrival).newest_by], ['@timestamp', 'timestamp_inference'])
  assert.deepEqual([own, arrival].map(isNewestFirst), [true, true])
  assert.ok(!isNewestFirst(viewOf(3, { sort: 'timestamp_inference', order: 'asc' })))
  assert.notEqual(rowsKey(own), rowsKey(arrival))
  assert.notEqual(rowsKey(own), rowsKey(viewOf(3, { time: '8h' })))
})
