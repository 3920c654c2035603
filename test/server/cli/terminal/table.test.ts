import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanJson, cleanLine } from '../../../../server/cli/terminal/clean.js'
import { tableText } from '../../../../server/cli/terminal/table.js'

interface Row {
  readonly name: string
  readonly count: number
}

const columns = [
  { title: 'name', of: (row: Row) => row.name },
  { title: 'count', of: (row: Row) => row.count },
]

test('a terminal gets aligned columns, numbers to the right', () => {
  const rows = [
    { name: 'a', count: 5 },
    { name: 'long name', count: 1200 },
  ]
  assert.equal(tableText(columns, rows, 80), 'NAME       COUNT\na              5\nlong name   1200\n')
  assert.equal(tableText(columns, rows, null), 'name\tcount\na\t5\nlong name\t1200\n')
})

test('a narrow terminal cuts the widest cells', () => {
  const [, line] = tableText(columns, [{ name: 'x'.repeat(50), count: 1 }], 24).split('\n')
  assert.equal(line, `${'x'.repeat(16)}…${' '.repeat(6)}1`)
})

test('no text of an event moves the cursor, changes the window or hides another', () => {
  const hostile = 'a\u001b[2Jb\u009b31mc\rd\u202ee\u2066f\u0007'
  const clean = 'a\\u001b[2Jb\\u009b31mc\\u000dd\\u202ee\\u2066f\\u0007'
  assert.equal(cleanLine(hostile), clean)
  for (const width of [200, null]) {
    const text = tableText(columns, [{ name: hostile, count: 1 }], width)
    assert.ok(text.includes(clean))
    assert.equal(text.split('\n').length, 3)
  }
  const json = cleanJson({ hostile })
  assert.doesNotMatch(json, /[\u0000-\u001f\u007f-\u009f\u202e\u2066]/)
  assert.deepEqual(JSON.parse(json), { hostile })
})
