import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import * as node from 'node:module'
import { test } from 'node:test'
import { SourceMap } from '../../../engine/runtime/source-map.js'
import { threadFile } from '../../../engine/runtime/thread-files.js'
import { SeededRandom } from '../../../engine/rng.js'

test('a place is that which the source map of Node.js has, in all of a bundle', () => {
  const text = JSON.parse(readFileSync(new URL(`${threadFile('commit-thread').href}.map`), 'utf8'))
  const [own, ofNode] = [new SourceMap(text), new node.SourceMap(text)]
  const random = new SeededRandom(3)
  const lines = text.mappings.split(';').length
  for (let i = 0; i < 3_000; i++) {
    const [line, column] = [random.below(lines + 5), random.below(170)]
    const entry = ofNode.findEntry(line, column)
    // Node.js goes back to the lines before where a line begins without a source.
    const expected =
      'originalSource' in entry && entry.generatedLine === line
        ? { source: entry.originalSource, line: entry.originalLine, column: entry.originalColumn }
        : null
    assert.deepEqual(own.placeOf(line, column), expected, `${line}:${column}`)
  }
})

test('a part without a source has no place, and neither have lines that are not there', () => {
  // Column 0 is of the first source, column 4 of none, column 8 of the second source's line 2 and column 1.
  const map = new SourceMap({ sources: ['a.ts', 'b.ts'], mappings: 'AAAA,I,ICEC;;AACA' })
  assert.deepEqual(map.placeOf(0, 3), { source: 'a.ts', line: 0, column: 0 })
  assert.equal(map.placeOf(0, 7), null)
  assert.deepEqual(map.placeOf(0, 100), { source: 'b.ts', line: 2, column: 1 })
  assert.equal(map.placeOf(1, 0), null)
  assert.deepEqual(map.placeOf(2, 0), { source: 'b.ts', line: 3, column: 1 })
  assert.equal(map.placeOf(3, 0), null)
  assert.equal(new SourceMap({ sources: [], mappings: '' }).placeOf(0, 0), null)
})
