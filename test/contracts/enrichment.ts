/**
 * The contract of enrichment (engine/integration/contract.ts) as tests, against a small real counterpart.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  SourceFailure,
  QueryRefused,
  type Known,
  type EnrichmentSource,
  type EnrichmentFields,
  type OpenedParameters,
  type OutsideKind,
} from '../../engine/integration/contract.js'
import { never, toolsFor } from '../support/outgoing.js'
import type { Behaviour } from './sink.js'

export interface LookedUp {
  readonly connection: OpenedParameters
  behave(how: Behaviour): void
  /** Requests so far. */
  readonly requests: number
  close(): Promise<void>
}

export interface EnrichmentCase {
  readonly name: string
  readonly kind: OutsideKind
  readonly parameters: OpenedParameters
  /** Texts that no reason may contain. */
  readonly secrets: readonly string[]
  readonly hostParameter: string
  /** Events and what is known about them; null for nothing. Their subjects differ. */
  readonly known: readonly (readonly [event: Record<string, unknown>, fields: EnrichmentFields | null])[]
  /** An event without a subject. */
  readonly mute: Record<string, unknown>
  open(): Promise<LookedUp>
}

export function enrichmentContract(one: EnrichmentCase): void {
  const { kind, parameters, secrets } = one

  function openEnrichment(connection: OpenedParameters, tools = toolsFor()): EnrichmentSource {
    const specs = [
      ...kind.entry.connection,
      ...(kind.entry.roles.find(({ role }) => role === 'enrichment')?.parameters ?? []),
    ]
    const defaults = Object.fromEntries(
      specs.flatMap(({ name, default: value }) =>
        value === undefined || typeof value === 'object' ? [] : [[name, value]],
      ),
    )
    return kind.openEnrichment!({ ...defaults, ...connection }, { ...defaults, ...parameters }, tools)
  }

  async function failure(work: Promise<unknown>): Promise<SourceFailure> {
    const error = await work.then(
      () => assert.fail('it answered'),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof SourceFailure, String(error))
    for (const secret of secrets) assert.ok(!error.message.includes(secret), error.message)
    return error
  }

  async function withEnrichment(
    how: Behaviour,
    run: (enrichment: EnrichmentSource, counterpart: LookedUp) => Promise<void>,
    more: OpenedParameters = {},
  ): Promise<void> {
    const counterpart = await one.open()
    counterpart.behave(how)
    const enrichment = openEnrichment({
      ...counterpart.connection,
      timeout_seconds: how === 'silent' ? 1 : 20,
      ...more,
    })
    try {
      await run(enrichment, counterpart)
    } finally {
      await enrichment.close()
      await counterpart.close()
    }
  }

  const subjects = (enrichment: EnrichmentSource): string[] =>
    one.known.map(([event]) => enrichment.subjectOf(event) ?? assert.fail('no subject'))

  describe(`${one.name} as enrichment`, () => {
    it('describes its parameters, and marks its secrets', () => {
      assert.ok(kind.entry.outside === true && kind.entry.roles.some(({ role }) => role === 'enrichment'))
      for (const { name, secret } of kind.entry.connection)
        assert.equal(secret === true, /secret|password|token|authorization|api_key/.test(name), name)
      const names = kind.entry.roles.find(({ role }) => role === 'enrichment')?.parameters.map(({ name }) => name) ?? []
      for (const name of ['name', 'time_limit_seconds', 'cache_seconds']) assert.ok(names.includes(name), name)
    })

    it('finds what is known about each subject, many at once and one by one', () =>
      withEnrichment('well', async (enrichment) => {
        const wanted = one.known.map(([, fields]) => fields)
        const plain = (fields: readonly Known[]): unknown => JSON.parse(JSON.stringify(fields))
        assert.deepEqual(plain(await enrichment.find(subjects(enrichment), never)), wanted)
        for (const [at, subject] of subjects(enrichment).entries())
          assert.deepEqual(plain(await enrichment.find([subject], never)), [wanted[at]])
        assert.ok(enrichment.batchMax >= 1 && enrichment.atOnce >= 1)
      }))

    it('has no subject for an event without the field, and equal subjects for equal fields', () =>
      withEnrichment('well', async (enrichment) => {
        assert.equal(enrichment.subjectOf(one.mute), null)
        assert.equal(enrichment.subjectOf({}), null)
        const [[event]] = one.known as [readonly [Record<string, unknown>, unknown]]
        assert.equal(enrichment.subjectOf({ another: 'field', ...structuredClone(event) }), enrichment.subjectOf(event))
        assert.equal(new Set(subjects(enrichment)).size, one.known.length)
      }))

    it('reports an unreachable counterpart', async () => {
      const counterpart = await one.open()
      await counterpart.close()
      const enrichment = openEnrichment(counterpart.connection)
      await failure(enrichment.find(subjects(enrichment), never))
      await enrichment.close()
    })

    it('reaches no private host unless it is allowed', async () => {
      const counterpart = await one.open()
      for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', '169.254.169.254']) {
        const connection = {
          ...counterpart.connection,
          [one.hostParameter]: String(counterpart.connection[one.hostParameter]).replace('127.0.0.1', host),
        }
        const enrichment = openEnrichment(connection, toolsFor([]))
        assert.match(
          (await failure(enrichment.find(subjects(enrichment), never))).message,
          /private, local or reserved/,
          host,
        )
        await enrichment.close()
      }
      assert.equal(counterpart.requests, 0)
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
      it(`fails if its counterpart is ${how}`, () =>
        withEnrichment(how, async (enrichment) => {
          const { message, retryAfterMs } = await failure(enrichment.find(subjects(enrichment), never))
          assert.match(message, reason)
          if (how === 'busy') assert.equal(retryAfterMs, 3_000)
        }))
    }

    it('fails if its counterpart refuses the query', () =>
      withEnrichment('refusing', async (enrichment) => {
        const answers = await enrichment.find(subjects(enrichment), never).catch((error: unknown) => [error])
        assert.ok(
          answers.every((one) => (one instanceof QueryRefused && one.reason !== '') || one instanceof SourceFailure),
        )
      }))

    it('stops when its signal aborts', () =>
      withEnrichment(
        'silent',
        async (enrichment) => {
          const stop = new AbortController()
          setTimeout(() => stop.abort(), 20)
          await failure(enrichment.find(subjects(enrichment), stop.signal))
        },
        { timeout_seconds: 20 },
      ))
  })
}
