/** The contract of engine/store/environment.ts, as tests for every implementation. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { isRefusal } from '../../engine/errors.js'
import { SeededRandom } from '../../engine/rng.js'
import { WriteBatch, type Entry, type Environment, type KeyRange } from '../../engine/store/environment.js'
import { MemoryEnvironment } from '../../engine/store/memory-store.js'

export const contractTables = ['first', 'second'] as const

/** An empty environment with contractTables, and what the suite needs beside it. */
export interface EnvironmentUnderTest {
  readonly environment: Environment
  /** Another handle on the same store, as a reader has it; the same one if there can be no other. */
  reader(): Environment
  /** Commits the batch in a way that must fail halfway. */
  commitInVain(batch: WriteBatch): void
}

const text = (value: string): Buffer => Buffer.from(value, 'latin1')

function commit(environment: Environment, ...changes: readonly [key: string, value: string | null][]): void {
  const batch = new WriteBatch()
  for (const [key, value] of changes) {
    if (value === null) batch.delete('first', text(key))
    else batch.put('first', text(key), text(value))
  }
  environment.commit(batch)
}

function read(environment: Environment, key: string): string | undefined {
  const value = environment.get('first', text(key))
  return value === undefined ? undefined : Buffer.from(value).toString('latin1')
}

function entry({ key, value }: Entry): string {
  return `${Buffer.from(key).toString('latin1')}=${Buffer.from(value).toString('latin1')}`
}

function walk(environment: Environment, range: KeyRange, table = 'first'): string[] {
  const entries = [...environment.range(table, range)].map(entry)
  assert.deepEqual(scan(environment, range, table), entries, 'a scan shows what a range gives')
  return entries
}

/** What a scan shows while something else is read. */
function scan(environment: Environment, range: KeyRange, table = 'first'): string[] {
  const entries: string[] = []
  environment.scan(table, range, (key, value) => {
    environment.get('first', text('a'))
    environment.get('second', text('a'))
    entries.push(entry({ key, value }))
    return true
  })
  return entries
}

/** Registers the contract's tests for one implementation. `open` is called once a test. */
export function environmentContract(name: string, open: (test: TestContext) => Promise<EnvironmentUnderTest>): void {
  const fact = (what: string, check: (given: EnvironmentUnderTest) => void): void => {
    it(what, async (test) => check(await open(test)))
  }

  describe(`${name} keeps the contract of an environment`, () => {
    fact('a key that was never written has no value', ({ environment }) => {
      assert.equal(read(environment, 'a'), undefined)
      assert.deepEqual(walk(environment, {}), [])
    })

    fact('a scan shows values of any length, and ends on request', ({ environment }) => {
      const lengths = [0, 1, 300, 5_000, 20_000, 70_000, 300_000, 2]
      commit(environment, ...lengths.map((length, at) => [`k${at}`, String(at).repeat(length)] as [string, string]))
      assert.deepEqual(
        scan(environment, {}),
        lengths.map((length, at) => `k${at}=${String(at).repeat(length)}`),
      )
      const seen: string[] = []
      environment.scan('first', { from: text('k2') }, (key) => {
        seen.push(Buffer.from(key).toString('latin1'))
        return seen.length < 2
      })
      assert.deepEqual(seen, ['k2', 'k3'])
    })

    fact('keys are counted from a first one to before a last one', ({ environment }) => {
      commit(environment, ['a', '1'], ['b', '2'], ['c', '3'], ['d', '4'])
      const count = (from?: string, to?: string): number => {
        return environment.count('first', {
          ...(from === undefined ? {} : { from: text(from) }),
          ...(to === undefined ? {} : { to: text(to) }),
        })
      }
      assert.deepEqual(
        [count(), count('b'), count(undefined, 'c'), count('b', 'd'), count('bb', 'bc'), count('e')],
        [4, 3, 2, 2, 0, 0],
      )
    })

    fact('a committed value is read', ({ environment }) => {
      commit(environment, ['a', '1'], ['b', ''])
      assert.equal(read(environment, 'a'), '1')
      assert.equal(read(environment, 'b'), '')
      assert.equal(environment.get('second', text('a')), undefined)
    })

    fact('an empty batch changes nothing', ({ environment }) => {
      commit(environment, ['a', '1'])
      environment.commit(new WriteBatch())
      assert.deepEqual(walk(environment, {}), ['a=1'])
    })

    fact('the last of several changes of a key in a batch wins', ({ environment }) => {
      commit(environment, ['a', '1'], ['a', '2'], ['b', '1'], ['b', null], ['c', null], ['c', '3'], ['d', null])
      assert.deepEqual(walk(environment, {}), ['a=2', 'c=3'])
    })

    fact('an environment that gave its map back maps again and has its data', ({ environment }) => {
      commit(environment, ['a', '1'], ['b', '2'])
      assert.equal(environment.unmap(), true)
      assert.equal(environment.unmap(), true)
      environment.refresh()
      assert.equal(read(environment, 'a'), '1')
      assert.equal(environment.unmap(), true)
      commit(environment, ['a', null], ['c', '3'])
      assert.equal(environment.unmap(), true)
      assert.deepEqual(walk(environment, {}), ['b=2', 'c=3'])
      assert.equal(environment.unmap(), true)
      environment.map()
      environment.map()
      assert.deepEqual(walk(environment, {}), ['b=2', 'c=3'])
    })

    fact('a deleted key is gone', ({ environment }) => {
      commit(environment, ['a', '1'], ['b', '2'])
      commit(environment, ['a', null])
      assert.equal(read(environment, 'a'), undefined)
      assert.deepEqual(walk(environment, {}), ['b=2'])
    })

    fact('a reader may keep and change the bytes that it read', ({ environment }) => {
      commit(environment, ['a', 'one'], ['b', 'two'])
      const first = environment.get('first', text('a')) as Uint8Array
      const entries = [...environment.range('first', {})]
      environment.get('first', text('b'))
      commit(environment, ['a', 'x'], ['b', 'y'])
      assert.equal(Buffer.from(first).toString(), 'one')
      assert.deepEqual(entries.map(entry), ['a=one', 'b=two'])
      first.fill(0)
      ;(entries[1] as Entry).value.fill(0)
      assert.deepEqual(walk(environment, {}), ['a=x', 'b=y'])
    })

    fact('a value is read into the caller’s memory, as far as it fits', ({ environment }) => {
      const large = 'x'.repeat(100_000)
      commit(environment, ['a', 'one'], ['b', large], ['c', ''])
      const into = Buffer.from('......')
      assert.equal(environment.read('first', text('a'), into), 3)
      assert.equal(into.toString(), 'one...')
      assert.equal(environment.read('first', text('none'), into), -1)
      assert.equal(environment.read('second', text('a'), into), -1)
      assert.equal(environment.read('first', text('c'), into), 0)
      assert.equal(into.toString(), 'one...')
      assert.equal(environment.read('first', text('b'), into), large.length)
      assert.equal(into.toString(), 'xxxxxx')
      const room = Buffer.alloc(large.length + 1, '.')
      assert.equal(environment.read('first', text('b'), room), large.length)
      assert.equal(room.toString(), `${large}.`)
      assert.equal(environment.read('first', text('a'), new Uint8Array(0)), 3)
      assert.equal(read(environment, 'a'), 'one')
      commit(environment, ['a', null])
      assert.equal(environment.read('first', text('a'), into), -1)
    })

    fact('committed bytes are copied', ({ environment }) => {
      const batch = new WriteBatch()
      const [key, value] = [text('a'), text('1')]
      batch.put('first', key, value)
      environment.commit(batch)
      key.fill(0)
      value.fill(0)
      assert.deepEqual(walk(environment, {}), ['a=1'])
    })

    fact('keys are in byte order, a prefix before longer keys', ({ environment }) => {
      commit(
        environment,
        ['\xff\xff', '6'],
        ['\x00\x00', '1'],
        ['aa\x00', '4'],
        ['aa', '3'],
        ['aab', '5'],
        ['\x00\x00\x00', '2'],
      )
      assert.deepEqual(
        walk(environment, {}).map((item) => item.at(-1)),
        ['1', '2', '3', '4', '5', '6'],
      )
    })

    fact('ranges include their lower bound and exclude the upper one, in both directions', ({ environment }) => {
      commit(environment, ['b', '2'], ['d', '4'], ['f', '6'])
      const [from, to] = [text('b'), text('f')]
      assert.deepEqual(walk(environment, { from, to }), ['b=2', 'd=4'])
      assert.deepEqual(walk(environment, { from, to, reverse: true }), ['d=4', 'b=2'])
      assert.deepEqual(walk(environment, { from: text('c'), to: text('e'), reverse: true }), ['d=4'])
      assert.deepEqual(walk(environment, { to, reverse: true }), ['d=4', 'b=2'])
      assert.deepEqual(walk(environment, { to: text('z'), reverse: true }), ['f=6', 'd=4', 'b=2'])
      assert.deepEqual(walk(environment, { from: text('g') }), [])
      assert.deepEqual(walk(environment, { from: text('g'), reverse: true }), [])
      assert.deepEqual(walk(environment, { to: text('a'), reverse: true }), [])
      assert.deepEqual(walk(environment, { from, to: from }), [])
    })

    fact('a limit counts from the start of the walk', ({ environment }) => {
      commit(environment, ['a', '1'], ['b', '2'], ['c', '3'])
      assert.deepEqual(walk(environment, { limit: 2 }), ['a=1', 'b=2'])
      assert.deepEqual(walk(environment, { limit: 2, reverse: true }), ['c=3', 'b=2'])
      assert.deepEqual(walk(environment, { limit: 0 }), [])
      assert.deepEqual(walk(environment, { limit: 9 }), ['a=1', 'b=2', 'c=3'])
    })

    fact('a walk shows the state at its start', ({ environment }) => {
      commit(environment, ['a', '1'], ['c', '3'], ['e', '5'])
      const seen: string[] = []
      for (const item of environment.range('first', {})) {
        seen.push(entry(item))
        if (seen.length === 1) {
          commit(environment, ['b', '2'], ['c', null], ['e', '6'])
          environment.refresh()
        }
      }
      assert.deepEqual(seen, ['a=1', 'c=3', 'e=5'])
      assert.deepEqual(walk(environment, {}), ['a=1', 'b=2', 'e=6'])
    })

    fact('a walk that is left early leaves nothing behind', ({ environment }) => {
      commit(environment, ...Array.from({ length: 50 }, (_, i): [string, string] => [`k${i}`, 'v']))
      for (let round = 0; round < 300; round++) {
        for (const item of environment.range('first', { reverse: round % 2 === 0 })) if (item.key.length > 0) break
      }
      commit(environment, ['a', '1'])
      assert.equal(read(environment, 'a'), '1')
    })

    fact('a failed commit changes nothing, and the next one succeeds', (given) => {
      const { environment } = given
      commit(environment, ['a', '1'])
      const batch = new WriteBatch()
      batch.put('first', text('a'), text('2'))
      batch.put('first', text('b'), text('2'))
      batch.put('second', text('a'), text('2'))
      assert.throws(
        () => given.commitInVain(batch),
        (error) => isRefusal(error) && error.retryable,
      )
      assert.deepEqual(walk(environment, {}), ['a=1'])
      assert.deepEqual(walk(environment, {}, 'second'), [])
      environment.commit(batch)
      assert.deepEqual(walk(environment, {}), ['a=2', 'b=2'])
      assert.deepEqual(walk(environment, {}, 'second'), ['a=2'])
    })

    fact('a batch that names an unknown table changes nothing', ({ environment }) => {
      const batch = new WriteBatch()
      batch.put('first', text('a'), text('1'))
      batch.put('third', text('a'), text('1'))
      assert.throws(() => environment.commit(batch), /third/)
      assert.deepEqual(walk(environment, {}), [])
      assert.throws(() => environment.get('third', text('a')), /third/)
    })

    fact('another handle sees a commit after refresh', ({ environment, reader }) => {
      const other = reader()
      commit(environment, ['a', '1'])
      other.refresh()
      assert.equal(read(other, 'a'), '1')
      commit(environment, ['a', null], ['b', '2'])
      other.refresh()
      assert.deepEqual(walk(other, {}), ['b=2'])
    })

    fact('stored data takes space', ({ environment }) => {
      const before = environment.sizeBytes()
      commit(environment, ['a', 'x'.repeat(100_000)])
      assert.ok(environment.sizeBytes() >= before + 100_000 - 8192 * 8)
      assert.equal(read(environment, 'a')?.length, 100_000)
    })

    for (const seed of [1, 2]) {
      fact(`random operations leave what a store in memory has, seed ${seed}`, ({ environment, reader }) => {
        compareWithMemory(environment, reader(), new SeededRandom(seed))
      })
    }
  })
}

function compareWithMemory(environment: Environment, reader: Environment, random: SeededRandom): void {
  const oracle = new MemoryEnvironment(contractTables)
  const randomKey = (): Uint8Array => {
    const key = random.bytes(2 + random.below(random.below(4) === 0 ? 40 : 3))
    for (let i = 0; i < key.length; i++) if (random.below(3) > 0) key[i] = random.pick([0, 1, 97, 255])
    return key
  }
  const same = (table: string, range: KeyRange): void => {
    const wanted = [...oracle.range(table, range)].map(entry)
    assert.deepEqual(walk(environment, range, table), wanted)
    assert.deepEqual(walk(reader, range, table), wanted)
  }
  for (let round = 0; round < 60; round++) {
    const batch = new WriteBatch()
    const changes = random.below(30)
    for (let i = 0; i < changes; i++) {
      const table = random.pick(contractTables)
      if (random.below(3) === 0) batch.delete(table, randomKey())
      else batch.put(table, randomKey(), random.bytes(random.below(random.below(20) === 0 ? 20_000 : 30)))
    }
    environment.commit(batch)
    oracle.commit(batch)
    reader.refresh()
    for (let i = 0; i < 10; i++) {
      const range = {
        ...(random.below(2) === 0 ? {} : { from: randomKey() }),
        ...(random.below(2) === 0 ? {} : { to: randomKey() }),
        ...(random.below(2) === 0 ? {} : { limit: random.below(6) }),
        reverse: random.below(2) === 0,
      }
      same(random.pick(contractTables), range)
      const [table, key] = [random.pick(contractTables), randomKey()]
      const wanted = oracle.get(table, key)
      assert.deepEqual(environment.get(table, key)?.length, wanted?.length)
    }
  }
  for (const table of contractTables) same(table, {})
}
