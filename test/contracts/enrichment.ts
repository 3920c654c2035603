/**
 * What every kind that looks things up has to do, against a small real counterpart: engine/integration/contract.ts as tests.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  LookUpFailure,
  QuestionRefused,
  type Known,
  type LookUp,
  type LookUpFields,
  type Opened,
  type OutsideKind,
} from '../../engine/integration/contract.js'
import { never, toolsFor } from '../support/outgoing.js'
import type { Behaviour } from './sink.js'

export interface LookedUp {
  readonly connection: Opened
  behave(how: Behaviour): void
  /** Requests so far. */
  readonly asked: number
  close(): Promise<void>
}

export interface LookUpCase {
  readonly name: string
  readonly kind: OutsideKind
  readonly parameters: Opened
  /** Texts that must never be in a reason. */
  readonly secrets: readonly string[]
  readonly hostParameter: string
  /** Events, and what is known of them; null for nothing. All of them differ in what is asked. */
  readonly known: readonly (readonly [event: Record<string, unknown>, fields: LookUpFields | null])[]
  /** An event that has nothing to ask about. */
  readonly mute: Record<string, unknown>
  open(): Promise<LookedUp>
}

export function lookUpContract(one: LookUpCase): void {
  const { kind, parameters, secrets } = one

  function openLookUp(connection: Opened, tools = toolsFor()): LookUp {
    const specs = [
      ...kind.entry.connection,
      ...(kind.entry.roles.find(({ role }) => role === 'enrichment')?.parameters ?? []),
    ]
    const defaults = Object.fromEntries(
      specs.flatMap(({ name, default: value }) =>
        value === undefined || typeof value === 'object' ? [] : [[name, value]],
      ),
    )
    return kind.openLookUp!({ ...defaults, ...connection }, { ...defaults, ...parameters }, tools)
  }

  async function failure(work: Promise<unknown>): Promise<LookUpFailure> {
    const error = await work.then(
      () => assert.fail('it answered'),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof LookUpFailure, String(error))
    for (const secret of secrets) assert.ok(!error.message.includes(secret), error.message)
    return error
  }

  async function withLookUp(
    how: Behaviour,
    run: (lookUp: LookUp, counterpart: LookedUp) => Promise<void>,
    more: Opened = {},
  ): Promise<void> {
    const counterpart = await one.open()
    counterpart.behave(how)
    const lookUp = openLookUp({ ...counterpart.connection, timeout_seconds: how === 'silent' ? 1 : 20, ...more })
    try {
      await run(lookUp, counterpart)
    } finally {
      await lookUp.close()
      await counterpart.close()
    }
  }

  const subjects = (lookUp: LookUp): string[] =>
    one.known.map(([event]) => lookUp.subjectOf(event) ?? assert.fail('nothing to ask'))

  describe(`${one.name} as enrichment`, () => {
    it('has an entry that says what it needs, with its secrets marked', () => {
      assert.ok(kind.entry.outside === true && kind.entry.roles.some(({ role }) => role === 'enrichment'))
      for (const { name, secret } of kind.entry.connection)
        assert.equal(secret === true, /secret|password|token|authorization|api_key/.test(name), name)
      const names = kind.entry.roles.find(({ role }) => role === 'enrichment')?.parameters.map(({ name }) => name) ?? []
      for (const name of ['name', 'time_limit_seconds', 'cache_seconds']) assert.ok(names.includes(name), name)
    })

    it('says what is known of each, many at once and one by one', () =>
      withLookUp('well', async (lookUp) => {
        const wanted = one.known.map(([, fields]) => fields)
        const plain = (fields: readonly Known[]): unknown => JSON.parse(JSON.stringify(fields))
        assert.deepEqual(plain(await lookUp.find(subjects(lookUp), never)), wanted)
        for (const [at, subject] of subjects(lookUp).entries())
          assert.deepEqual(plain(await lookUp.find([subject], never)), [wanted[at]])
        assert.ok(lookUp.batchMax >= 1 && lookUp.atOnce >= 1)
      }))

    it('asks nothing about an event that has nothing to ask about, and the same for what is the same', () =>
      withLookUp('well', async (lookUp) => {
        assert.equal(lookUp.subjectOf(one.mute), null)
        assert.equal(lookUp.subjectOf({}), null)
        const [[event]] = one.known as [readonly [Record<string, unknown>, unknown]]
        assert.equal(lookUp.subjectOf({ another: 'field', ...structuredClone(event) }), lookUp.subjectOf(event))
        assert.equal(new Set(subjects(lookUp)).size, one.known.length)
      }))

    it('says that nobody is there', async () => {
      const counterpart = await one.open()
      await counterpart.close()
      const lookUp = openLookUp(counterpart.connection)
      await failure(lookUp.find(subjects(lookUp), never))
      await lookUp.close()
    })

    it('reaches no private host unless it is allowed', async () => {
      const counterpart = await one.open()
      for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', '169.254.169.254']) {
        const connection = {
          ...counterpart.connection,
          [one.hostParameter]: String(counterpart.connection[one.hostParameter]).replace('127.0.0.1', host),
        }
        const lookUp = openLookUp(connection, toolsFor([]))
        assert.match((await failure(lookUp.find(subjects(lookUp), never))).message, /private, local or reserved/, host)
        await lookUp.close()
      }
      assert.equal(counterpart.asked, 0)
      await counterpart.close()
    })

    const wrong: readonly (readonly [Behaviour, RegExp])[] = [
      ['busy', /429/],
      ['broken', /500/],
      ['silent', /within 1000 ms/],
      ['half', /./],
      ['huge', /more than \d+ bytes/],
      ['elsewhere', /private, local or reserved/],
    ]
    for (const [how, reason] of wrong) {
      it(`takes nothing for an answer where its counterpart is ${how}`, () =>
        withLookUp(how, async (lookUp) => {
          const { message, retryAfterMs } = await failure(lookUp.find(subjects(lookUp), never))
          assert.match(message, reason)
          if (how === 'busy') assert.equal(retryAfterMs, 3_000)
        }))
    }

    it('takes nothing for an answer where its counterpart refuses the question', () =>
      withLookUp('refusing', async (lookUp) => {
        const answers = await lookUp.find(subjects(lookUp), never).catch((error: unknown) => [error])
        assert.ok(
          answers.every((one) => (one instanceof QuestionRefused && one.reason !== '') || one instanceof LookUpFailure),
        )
      }))

    it('stops when it is told to', () =>
      withLookUp(
        'silent',
        async (lookUp) => {
          const stop = new AbortController()
          setTimeout(() => stop.abort(), 20)
          await failure(lookUp.find(subjects(lookUp), stop.signal))
        },
        { timeout_seconds: 20 },
      ))
  })
}
