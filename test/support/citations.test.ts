/** The check for broken citations (citations.ts) finds them, and nothing else. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenCitations, type Tree } from './citations.js'

/** A small tree with one file more. */
function treeWith(file: string, text: string): Tree {
  const texts: Readonly<Record<string, string>> = {
    'server/CONTRACT.md': '# Contract\n\n## Errors and codes\n\n### S1 Keys\n\n### C1.1 Name\n',
    'engine/DESIGN.md': '# Design\n\n**D1. Durable.** Yes.\n',
    'engine/store/rows.ts': '',
    [file]: text,
  }
  return { files: Object.keys(texts), read: (name) => texts[name] as string }
}

describe('citations', () => {
  it('are found broken in comments, names of tests and documents', () => {
    const two = 2
    for (const [file, text] of [
      ['engine/one.ts', `/** As decided (S${two}). */`],
      ['engine/one.ts', `// See D${two}.`],
      ['test/one.test.ts', `it('keeps an id (S1, C1.${two})', () => {})`],
      ['engine/one.ts', '/**\n * In rules.ts.\n */'],
      ['engine/one.ts', '/** Rows are in event/rows.ts. */'],
      ['engine/one.ts', '/** See CONTRACT.md#errors. */'],
      ['bench/one.py', '# As in protocol.py.'],
      ['README.md', `Keys are decided by S${two}.`],
      ['README.md', 'The [design](engine/DESIGNS.md).'],
      ['README.md', 'The [errors](server/CONTRACT.md#errors).'],
      ['README.md', 'The [first part](#first).'],
      ['README.md', 'Rows are in `engine/rows.ts`.'],
    ] as const) {
      assert.equal(brokenCitations(treeWith(file, text)).length, 1, text)
    }
  })

  it('are found whole where they are', () => {
    for (const [file, text] of [
      [
        'engine/one.ts',
        '/** Durable (D1), S1 and C1.1 as well. CONTRACT.md#errors-and-codes, rows.ts, store/rows.ts. */',
      ],
      ['engine/one.ts', "const colour = '#C0FFEE' // not S1.x, but #D0D0D0"],
      ['engine/one.ts', '/** Any `*-thread.ts`, any x/y.ts, settings.json, https://example.com/other.md. */'],
      ['README.md', '# Read me\n\n[Here](#read-me), [there](engine/), [errors](server/CONTRACT.md#errors-and-codes).'],
      ['README.md', '```\nnot-there.ts\n```\n[Try it](/docs/exposer).'],
    ] as const) {
      assert.deepEqual(brokenCitations(treeWith(file, text)), [], text)
    }
  })
})
