/**
 * The contract of sinks (engine/integration/contract.ts) as tests, against a small real counterpart.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Outcome, OpenedParameters, OutsideKind } from '../../engine/integration/contract.js'
import type { IntegrationRole } from '../../engine/domain/job/job.js'
import { decided, never, openSink, outgoing, toolsFor, withDefaults } from '../support/outgoing.js'

/** How a counterpart behaves. */
export type Behaviour = 'well' | 'busy' | 'broken' | 'refusing' | 'silent' | 'half' | 'huge' | 'elsewhere'

/** A real server with the protocol of the kind; the suite opens and closes it. */
export interface Counterpart {
  readonly connection: OpenedParameters
  behave(how: Behaviour): void
  /** Event ids that it has accepted, in order; waits until `count` have arrived. */
  taken(count: number): Promise<readonly string[]>
  close(): Promise<void>
}

export interface SinkCase {
  readonly name: string
  readonly kind: OutsideKind
  readonly role: IntegrationRole
  readonly parameters?: OpenedParameters
  /** Texts that no reason may contain. */
  readonly secrets?: readonly string[]
  /** The behaviours that its protocol allows; a protocol without answers has few. */
  readonly behaviours: readonly Behaviour[]
  /** The connection parameter that names the host. */
  readonly hostParameter: string
  open(): Promise<Counterpart>
}

type Failed = Extract<Outcome, { outcome: 'failed' }>

export function sinkContract(one: SinkCase): void {
  const { kind, role, parameters = {}, secrets = [] } = one

  async function withSink(
    how: Behaviour,
    run: (
      deliver: (ids: readonly string[], signal?: AbortSignal) => Promise<Outcome[]>,
      counterpart: Counterpart,
    ) => Promise<void>,
  ): Promise<void> {
    const counterpart = await one.open()
    counterpart.behave(how)
    const sink = openSink(
      kind,
      role,
      { ...counterpart.connection, timeout_seconds: how === 'silent' ? 1 : 20 },
      parameters,
    )
    try {
      await run(async (ids, signal = never) => {
        const outcomes = await sink.deliver(
          ids.map((id) => outgoing(id)),
          signal,
        )
        assert.equal(outcomes.length, ids.length)
        for (const outcome of outcomes)
          if (outcome.outcome !== 'delivered')
            assert.ok(
              secrets.every((secret) => !outcome.reason.includes(secret)),
              outcome.reason,
            )
        return outcomes
      }, counterpart)
    } finally {
      await sink.close()
      await counterpart.close()
    }
  }

  const failsWith = (how: Behaviour, fact: string, check: (outcome: Failed) => void): void => {
    if (!one.behaviours.includes(how)) return
    it(fact, () =>
      withSink(how, async (deliver) => {
        const [outcome] = await deliver(['e1'])
        assert.equal(outcome?.outcome, 'failed')
        check(outcome as Failed)
      }),
    )
  }

  describe(`${one.name} as ${role}`, () => {
    it('describes its parameters, and marks its secrets', () => {
      assert.ok(kind.entry.outside === true && kind.entry.description.endsWith('.'))
      assert.ok(kind.entry.roles.some((spec) => spec.role === role))
      for (const { name, secret } of kind.entry.connection)
        assert.equal(
          secret === true,
          /secret|password|token|authorization|api_key|client_key|nkey_seed|credentials/.test(name) ||
            (one.name === 'slack' && name === 'url'),
          name,
        )
    })

    it('delivers each event once, and later ones over the same connection', () =>
      withSink('well', async (deliver, counterpart) => {
        assert.deepEqual(
          (await deliver(['e1', 'e2', 'e3'])).map(({ outcome }) => outcome),
          ['delivered', 'delivered', 'delivered'],
        )
        assert.deepEqual(
          (await deliver(['e4'])).map(({ outcome }) => outcome),
          ['delivered'],
        )
        assert.deepEqual([...(await counterpart.taken(4))].sort(), ['e1', 'e2', 'e3', 'e4'])
      }))

    it('delivers events with line breaks, quotes and template syntax', async () => {
      const counterpart = await one.open()
      counterpart.behave('well')
      const sink = openSink(kind, role, counterpart.connection, parameters)
      const nasty = 'x"\\]|=\r\n{{result}}\u0000\u2028<!here> \ud83d\ude00 </script>'
      const body = { title: nasty, message: nasty, source: { ip: nasty }, [nasty]: [nasty, { [nasty]: null }] }
      const outcomes = await sink.deliver(
        [outgoing('n1', { event: decided('n1', { jobTitle: nasty }, body) }), outgoing('n2')],
        never,
      )
      assert.deepEqual(
        outcomes.map(({ outcome }) => outcome),
        ['delivered', 'delivered'],
      )
      assert.deepEqual([...(await counterpart.taken(2))].sort(), ['n1', 'n2'])
      await sink.close()
      await counterpart.close()
    })

    it('delivers nothing to an unreachable counterpart, and suspects no event', async () => {
      const counterpart = await one.open()
      await counterpart.close()
      const sink = openSink(kind, role, counterpart.connection, parameters)
      for (const outcome of await sink.deliver([outgoing('e1'), outgoing('e2')], never)) {
        assert.equal(outcome.outcome, 'failed')
        assert.equal((outcome as Failed).suspect, false)
        assert.ok(secrets.every((secret) => !(outcome as Failed).reason.includes(secret)))
      }
      await sink.close()
    })

    it('reaches no private host unless it is allowed', async () => {
      const counterpart = await one.open()
      counterpart.behave('well')
      for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', '169.254.169.254', '10.0.0.1']) {
        const given = String(counterpart.connection[one.hostParameter])
        const connection = {
          ...counterpart.connection,
          timeout_seconds: 1,
          [one.hostParameter]: given.replace(
            '127.0.0.1',
            one.hostParameter !== 'host' ? host : host.replace(/[[\]]/g, ''),
          ),
        }
        const sink = kind.openSink!(role, withDefaults(kind, connection), parameters, toolsFor([]))
        const [outcome] = await sink.deliver([outgoing()], never)
        assert.equal(outcome?.outcome, 'failed', host)
        assert.match((outcome as Failed).reason, /private, local or reserved/, host)
        await sink.close()
      }
      await counterpart.close()
    })

    failsWith(
      'busy',
      'waits as long as a busy counterpart asks, and suspects no event',
      ({ suspect, retryAfterMs }) => {
        assert.deepEqual([suspect, retryAfterMs], [false, 3_000])
      },
    )
    failsWith('broken', 'fails on a server error, and suspects the event', ({ suspect }) => assert.equal(suspect, true))
    failsWith('silent', 'fails if a counterpart does not answer in time', ({ reason }) =>
      assert.match(reason, /within 1000 ms/),
    )
    failsWith('half', 'fails on a partial answer', () => {})
    failsWith('huge', 'fails on an answer over the limit', ({ reason }) => assert.match(reason, /more than \d+ bytes/))
    failsWith('elsewhere', 'follows no redirect to a private host', ({ reason }) =>
      assert.match(reason, /private, local or reserved/),
    )

    if (one.behaviours.includes('refusing')) {
      it('refuses an event that the counterpart will never accept', () =>
        withSink('refusing', async (deliver) => {
          assert.deepEqual(
            (await deliver(['e1'])).map(({ outcome }) => outcome),
            ['refused'],
          )
        }))
    }

    if (one.behaviours.includes('silent')) {
      it('stops when its signal aborts', () =>
        withSink('silent', async (deliver) => {
          const stop = new AbortController()
          setTimeout(() => stop.abort(), 20)
          assert.match(((await deliver(['e1'], stop.signal))[0] as Failed).reason, /stopped/)
        }))
    }
  })
}
