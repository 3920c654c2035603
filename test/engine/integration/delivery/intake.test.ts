import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  SourceFailure,
  type Source,
  type SourceDocument,
  type SourcePiece,
} from '../../../../engine/integration/contract.js'
import { InputPoller } from '../../../../engine/integration/delivery/intake.js'
import { Ledger, ledgerTables, type StepId } from '../../../../engine/integration/delivery/ledger.js'
import { Circuit, type Pace } from '../../../../engine/integration/delivery/pace.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { eventually } from '../../../support/client.js'
import { Refused, type TakenIn } from '../../../../engine/integration/delivery/refused-documents.js'

const step: StepId = { jobId: 1, integrationId: 2, role: 'input' }
const pace: Pace = {
  baseMs: 1,
  capMs: 2,
  eventBaseMs: 1,
  eventCapMs: 2,
  lookMs: 1,
  idleMs: 5,
  haltAfterMs: 20,
  haltPausesMs: [60_000],
}
const SIZE = 3

/** Documents 1 to `last`. A checkpoint is the last document before it. */
class Numbers implements Source {
  readonly pollMs = 1
  last = 0
  /** The checkpoint of each poll. */
  readonly polled: number[] = []
  fails: () => boolean = () => false
  documentOf: (id: string) => SourceDocument = (id) => ({ id, body: Buffer.from('{}') })

  async poll(checkpoint: unknown, _signal: AbortSignal): Promise<SourcePiece> {
    const from = (checkpoint ?? 0) as number
    this.polled.push(from)
    await new Promise((resolve) => setImmediate(resolve))
    if (this.fails()) throw new SourceFailure('away')
    const end = Math.min(this.last, from + SIZE)
    const documents = Array.from({ length: end - from }, (_, at) => this.documentOf(`${from + at + 1}`))
    return { documents, checkpoint: end, more: end < this.last }
  }

  async close(): Promise<void> {}
}

class Bench {
  readonly ledger = new Ledger(new MemoryEnvironment(ledgerTables), (_, error) => assert.fail(error as Error))
  readonly source = new Numbers()
  readonly taken: string[] = []
  fared: (ids: readonly string[]) => TakenIn | Promise<TakenIn> = () => ({ refused: [], busy: null })
  readonly circuit = new Circuit(pace, () => 0.5)
  intake = this.open()

  open(): InputPoller {
    this.intake = new InputPoller({
      step,
      source: this.source,
      ledger: this.ledger,
      pace,
      circuit: this.circuit,
      nowMs: () => Math.floor(performance.now()),
      failed: (_, error) => assert.fail(error as Error),
      takeIn: async (_step, documents) => {
        const ids = documents.map(({ id }) => id)
        const fared = await this.fared(ids)
        if (fared.busy === null) this.taken.push(...ids)
        return fared
      },
    })
    this.intake.start()
    return this.intake
  }
}

const upTo = (last: number): string[] => Array.from({ length: last }, (_, at) => `${at + 1}`)

test('while a piece is stored only the next one is read; its checkpoint is stored when it is on disk', async () => {
  const bench = new Bench()
  let go = (): void => {}
  bench.fared = () => new Promise((resolve) => (go = () => resolve({ refused: [], busy: null })))
  bench.source.last = 4 * SIZE
  await eventually(
    async () => bench.source.polled.at(-1),
    (from) => from === SIZE,
  )
  await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(bench.source.polled.at(-1), SIZE)
  assert.ok(bench.ledger.progress(step).checkpoint === null || bench.ledger.progress(step).checkpoint === 0)
  go()
  await eventually(
    async () => bench.source.polled.at(-1),
    (from) => from === 2 * SIZE,
  )
  assert.equal(bench.ledger.progress(step).checkpoint, SIZE)
  bench.fared = () => ({ refused: [], busy: null })
  go()
  await eventually(
    async () => bench.taken.length,
    (count) => count === bench.source.last,
  )
  assert.deepEqual(bench.taken, upTo(bench.source.last))
  await bench.intake.close()
})

test('a busy engine gets the same piece again, without another read', async () => {
  const bench = new Bench()
  let busy = 5
  bench.fared = () => ({ refused: [], busy: busy-- > 0 ? 'the mailbox is full' : null })
  bench.source.last = 2 * SIZE
  await eventually(
    async () => bench.taken.length,
    (count) => count === bench.source.last,
  )
  assert.deepEqual(bench.taken, upTo(bench.source.last))
  assert.equal(bench.source.polled.filter((from) => from === SIZE).length, 1)
  await bench.intake.close()
})

test('it stops while the engine is busy, and continues from the checkpoint', async () => {
  const bench = new Bench()
  bench.fared = (ids) => ({ refused: [], busy: ids.includes('4') ? 'the job takes nothing in' : null })
  bench.source.last = 3 * SIZE
  await eventually(
    async () => bench.intake.status().reason,
    (reason) => reason === 'the job takes nothing in',
  )
  await bench.intake.close()
  assert.deepEqual(bench.taken, upTo(SIZE))
  bench.fared = () => ({ refused: [], busy: null })
  bench.open()
  await eventually(
    async () => bench.taken.length,
    (count) => count === bench.source.last,
  )
  assert.deepEqual(bench.taken, upTo(bench.source.last))
  await bench.intake.close()
})

test('with random failures and restarts, no document is missing', async () => {
  const bench = new Bench()
  const random = new SeededRandom(3)
  bench.source.fails = () => random.below(4) === 0
  bench.fared = () => ({ refused: [], busy: random.below(4) === 0 ? 'busy' : null })
  for (let round = 0; round < 20; round++) {
    bench.source.last += random.below(10)
    await new Promise((resolve) => setTimeout(resolve, random.below(5)))
    await bench.intake.close()
    bench.open()
  }
  await eventually(
    async () => new Set(bench.taken).size,
    (count) => count === bench.source.last,
  )
  assert.deepEqual([...new Set(bench.taken)], upTo(bench.source.last))
  await bench.intake.close()
})

test('a piece is tried again after an unexpected error', async () => {
  const bench = new Bench()
  let failing = 1
  bench.fared = (ids) => {
    if (ids.includes('4') && failing-- > 0) throw new SourceFailure('a bug')
    return { refused: [], busy: null }
  }
  bench.source.last = 4 * SIZE
  await eventually(
    async () => bench.taken.length,
    (count) => count >= bench.source.last - SIZE,
  )
  await eventually(
    async () => bench.ledger.progress(step).checkpoint,
    (checkpoint) => checkpoint === bench.source.last,
  )
  assert.deepEqual([...new Set(bench.taken)], upTo(bench.source.last))
  await bench.intake.close()
})

test('a step that is closed while it tests its source releases the circuit breaker for the next step', async () => {
  const bench = new Bench()
  const poll = bench.source.poll.bind(bench.source)
  bench.source.fails = () => true
  await eventually(
    async () => bench.intake.status().state,
    (state) => state === 'open',
  )
  let polls = 0
  bench.source.poll = (_, signal) => {
    polls++
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new SourceFailure('given up'))))
  }
  await eventually(
    async () => polls,
    (count) => count > 0,
  )
  await bench.intake.close()
  bench.source.poll = poll
  bench.source.fails = () => false
  bench.source.last = SIZE
  bench.open()
  await eventually(
    async () => bench.taken.length,
    (count) => count === SIZE,
  )
  await bench.intake.close()
})

test('a document that cannot be an event is counted and named, and the others are stored', async () => {
  const bench = new Bench()
  bench.fared = (ids) => ({ refused: ids[0] === '1' ? [{ at: 1, reason: 'it is too large' }] : [], busy: null })
  bench.source.last = SIZE
  const status = await eventually(
    async () => bench.intake.status(),
    ({ taken }) => taken === SIZE - 1,
  )
  assert.equal(status.refused, 1)
  assert.match(status.reason, /2 is not an event: it is too large/)
  await bench.intake.close()
})

test('a refused document is kept before the source gets its acknowledgement, and can be retried and discarded', async () => {
  const bench = new Bench()
  const told: string[][] = []
  Object.assign(bench.source, {
    taken: async (_: unknown, refused: ReadonlySet<string>) => void told.push([...refused, ...kept()]),
  })
  const kept = (): string[] => [...bench.ledger.refused(step)].map(({ id }) => id).sort()
  bench.fared = (ids) => ({
    refused: ids.flatMap((id, at) => (Number(id) % 2 === 0 ? [{ at, reason: 'it is even' }] : [])),
    busy: null,
  })
  bench.source.last = SIZE
  await eventually(
    async () => told.length,
    (count) => count === 1,
  )
  assert.deepEqual(told, [['2', '2']])
  bench.source.last = 2 * SIZE
  await eventually(
    async () => told.length,
    (count) => count === 2,
  )
  assert.equal(await bench.intake.takeAgain('2'), 1)
  assert.deepEqual([...bench.ledger.refused(step)].map(({ id, attempts }) => `${id} ${attempts}`).sort(), [
    '2 2',
    '4 1',
    '6 1',
  ])
  bench.fared = (ids) => ({
    refused: ids.flatMap((id, at) => (id === '6' ? [{ at, reason: 'still' }] : [])),
    busy: null,
  })
  assert.equal(await bench.intake.takeAgain(null), 3)
  assert.deepEqual(kept(), ['6'])
  assert.ok(bench.taken.includes('2') && bench.taken.includes('4'))
  assert.equal(bench.intake.discard('5'), 0)
  assert.equal(bench.intake.discard(null), 1)
  assert.deepEqual(kept(), [])
  await bench.intake.close()
})

test('a document that its source marks as unfit never reaches the engine', async () => {
  const bench = new Bench()
  const reported: string[][] = []
  bench.fared = (ids) => {
    reported.push([...ids])
    return { refused: ids.includes('3') ? [{ at: ids.indexOf('3'), reason: 'no' }] : [], busy: null }
  }
  bench.source.documentOf = (id) =>
    id === '1' ? { id, body: Buffer.from('{}, "x": {}'), unfit: 'it is not JSON' } : { id, body: Buffer.from('{}') }
  bench.source.last = SIZE
  await eventually(
    async () => bench.intake.status(),
    ({ refused }) => refused === 2,
  )
  assert.deepEqual(reported, [['2', '3']])
  assert.deepEqual([...bench.ledger.refused(step)].map(({ id, reason }) => `${id}: ${reason}`).sort(), [
    '1: it is not JSON',
    '3: no',
  ])
  assert.equal(await bench.intake.takeAgain('1'), 1)
  assert.deepEqual(reported, [['2', '3']])
  await bench.intake.close()
})

test('an input whose counterpart says that it brings nothing stops, keeps its checkpoint, and goes on by hand', async () => {
  const bench = new Bench()
  bench.source.last = SIZE
  await eventually(
    async () => bench.taken.length,
    (count) => count === SIZE,
  )
  bench.source.poll = async (checkpoint) => {
    bench.source.polled.push(checkpoint as number)
    throw new SourceFailure('HTTP 401', 0, 'for_good')
  }
  await eventually(
    async () => bench.intake.status().state,
    (state) => state === 'stopped',
  )
  const asked = bench.source.polled.length
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(bench.source.polled.length, asked)
  assert.deepEqual([bench.intake.status().reason, bench.ledger.progress(step).checkpoint], ['HTTP 401', SIZE])
  bench.source.poll = Numbers.prototype.poll.bind(bench.source)
  bench.source.last = 2 * SIZE
  assert.equal(bench.intake.resume(), true)
  await eventually(
    async () => bench.taken.length,
    (count) => count === 2 * SIZE,
  )
  assert.deepEqual([bench.taken, bench.intake.status().state], [upTo(2 * SIZE), 'running'])
  await bench.intake.close()
})

test('a document that is discarded or refused again while it is tried stays as it is then', async () => {
  const ledger = new Ledger(new MemoryEnvironment(ledgerTables), (_, error) => assert.fail(error as Error))
  const refused = new Refused(ledger, step, () => 5)
  for (const id of ['fits', 'discarded', 'twice']) refused.keep({ id, body: Buffer.from('{}') }, 'no')
  let ids: string[] = []
  let answer = (_: TakenIn): void => {}
  const tried = refused.takeAgain(null, (documents) => {
    ids = documents.map(({ id }) => id)
    return new Promise((resolve) => (answer = resolve))
  })
  for (const id of ['fits', 'discarded']) refused.discard(id)
  refused.keep({ id: 'twice', body: Buffer.from('{"now": 1}') }, 'no')
  answer({ refused: ['discarded', 'twice'].map((id) => ({ at: ids.indexOf(id), reason: 'still' })), busy: null })
  assert.equal(await tried, 3)
  const kept = [...ledger.refused(step)].map((one) => [one.id, one.attempts, one.reason, atob(one.body)])
  assert.deepEqual(kept, [['twice', 3, 'still', '{"now": 1}']])
  assert.equal(refused.count, 1)
})
