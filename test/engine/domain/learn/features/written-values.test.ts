import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AS_NUMBER,
  AS_TEXT,
  AS_TIME,
  hourOf,
  ReadingChoice,
  weekdayOf,
  writtenNumber,
  writtenTime,
  type Reading,
} from '../../../../../engine/domain/learn/features/written-values.js'

function readingOf(texts: readonly unknown[]): Reading {
  const choice = new ReadingChoice()
  for (const text of texts) choice.see(text as string)
  return choice.reading
}

test('plain decimals are numbers', () => {
  for (const [text, number] of [
    ['0', 0],
    ['443', 443],
    ['-7', -7],
    ['0.25', 0.25],
    ['-12.50', -12.5],
  ] as const)
    assert.equal(writtenNumber(text), number)
  for (const text of [
    '',
    '-',
    '.5',
    '5.',
    '007',
    '-01',
    '1e9',
    '1.2.3',
    '10.0.0.1',
    ' 1',
    '1 ',
    '0x10',
    '1,5',
    'NaN',
    '12345678901234567',
  ]) {
    assert.ok(Number.isNaN(writtenNumber(text)), text)
  }
})

test('times tell their hour and weekday as they are written', () => {
  for (const text of ['2024-02-29T23:59:59Z', '2024/02/29 23:59', '2024-02-29t23:59:59.123+02:00']) {
    assert.deepEqual([hourOf(writtenTime(text)), weekdayOf(writtenTime(text))], [23, 3], text)
  }
  // Each day as the calendar of JavaScript has it, over leap years and the end of centuries.
  for (let day = Date.UTC(1999, 11, 20); day < Date.UTC(2004, 2, 10); day += 86_400_000) {
    const date = new Date(day)
    assert.equal(weekdayOf(writtenTime(date.toISOString())), (date.getUTCDay() + 6) % 7)
  }
  for (const text of [
    '2024-02-29',
    '2024-13-01T10:00:00',
    '2024-02-29T24:00:00',
    '2024-02/29T10:00:00',
    'at 2024-02-29T10:00',
    'a text of some length',
  ]) {
    assert.ok(Number.isNaN(writtenTime(text)), text)
  }
})

test('a point is read as what nearly all of its texts are', () => {
  assert.equal(readingOf(['22', '443', null, true]), AS_NUMBER)
  assert.equal(readingOf(['22', '443', 22]), AS_TEXT)
  assert.equal(readingOf(['2024-02-29T23:59:59Z', '2024-03-01T00:00:00Z']), AS_TIME)
  assert.equal(readingOf(['22', 'ssh']), AS_TEXT)
  assert.equal(readingOf([1, 2, null]), AS_TEXT)
  assert.equal(readingOf([...new Array<string>(40).fill('5'), 'none']), AS_NUMBER)
})
