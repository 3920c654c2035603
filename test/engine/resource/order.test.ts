import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom } from '../../../engine/rng.js'
import { orderResources } from '../../../engine/resource/order.js'
import { parseDocument, type ResourceInput } from '../../../engine/resource/shapes.js'
import { apiKey, job, restApi } from '../../support/resource-store.js'
import { assertRefused } from '../../support/engine/refusal.js'

function order(document: Record<string, unknown>, edges: Record<string, string[]>): string[] {
  const inputs = parseDocument(document)
  const find = (name: string): ResourceInput => inputs.find((each) => each.identifier === name) as ResourceInput
  const dependencies = new Map(Object.entries(edges).map(([name, others]) => [find(name), others.map(find)]))
  return orderResources(inputs, dependencies).map((each) => each.identifier)
}

test('without dependencies keys come first, then integrations, then jobs, each as written', () => {
  const set = { j: job('j'), i: restApi('i', 'k'), b: apiKey('b'), a: apiKey('a') }
  assert.deepEqual(order(set, {}), ['b', 'a', 'i', 'j'])
})

test('a dependency goes before its kind', () => {
  const set = { j: job('j'), i: restApi('i', 'k'), a: apiKey('a') }
  assert.deepEqual(order(set, { a: ['j'] }), ['j', 'a', 'i'])
})

test('a circle is named, however long, and a resource that depends on itself is one', () => {
  const set = { a: job('a'), b: job('b'), c: job('c'), d: job('d') }
  const refusal = assertRefused('dependency_cycle', () => order(set, { a: ['b'], b: ['c'], c: ['d'], d: ['b'] }))
  assert.match(refusal.message, /: b -> c -> d -> b$/)
  assert.match(assertRefused('dependency_cycle', () => order(set, { c: ['c'] })).message, /: c -> c$/)
})

test('a chain of the greatest length is ordered', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `k${index}`)
  const set = Object.fromEntries(names.map((name) => [name, apiKey(name)]))
  const inputs = parseDocument(set)
  const dependencies = new Map(inputs.map((each, index) => [each, inputs.slice(index + 1, index + 2)]))
  assert.deepEqual(
    orderResources(inputs, dependencies).map((each) => each.identifier),
    names.toReversed(),
  )
})

test('random sets without circles come out with every dependency first', () => {
  for (let seed = 0; seed < 50; seed++) {
    const random = new SeededRandom(seed)
    const names = Array.from({ length: 2 + random.below(30) }, (_, index) => `n${index}`)
    const set = Object.fromEntries(names.map((name) => [name, random.pick([apiKey, job])(name)]))
    const rank = new Map(names.map((name) => [name, random.nextFloat()]))
    const lower = (name: string): string[] => {
      return names.filter((other) => (rank.get(other) ?? 0) < (rank.get(name) ?? 0) && random.below(4) === 0)
    }
    const edges = Object.fromEntries(names.map((name) => [name, lower(name)]))
    const ordered = order(set, edges)
    assert.deepEqual(ordered.toSorted(), names.toSorted(), `seed ${seed}`)
    for (const [name, others] of Object.entries(edges)) {
      const at = ordered.indexOf(name)
      for (const other of others) assert.ok(ordered.indexOf(other) < at, `seed ${seed}: ${other} before ${name}`)
    }
  }
})
