/**
 * The contract of sinks (engine/integration/contract.ts) as tests, against a small real counterpart; that of sinks that
 * keep cases; and that of sinks whose texts people read.
 */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { ManualClock } from '../../engine/clock.js'
import type { Outcome, OpenedParameters, Outgoing, OutsideKind, Sink } from '../../engine/integration/contract.js'
import type { IntegrationRole } from '../../engine/domain/job/job.js'
import { decided, never, openSink, outgoing, toolsFor, withDefaults } from '../support/outgoing.js'
import type { CaseServer } from '../support/servers/case-servers.js'

/** How a counterpart behaves. */
export type Behaviour =
  | 'well'
  | 'busy'
  | 'broken'
  | 'refusing'
  | 'silent'
  | 'half'
  | 'huge'
  | 'elsewhere'
  | 'revoked'
  | 'gone'
  | 'missing'

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

    for (const how of ['revoked', 'gone'] as const)
      failsWith(how, `says that nothing will get through to a counterpart that is ${how}`, ({ suspect, lasting }) =>
        assert.deepEqual([suspect, lasting], [false, 'for_good']),
      )
    failsWith('missing', 'says that something has to be set up where nothing is there', ({ suspect, lasting }) =>
      assert.deepEqual([suspect, lasting], [false, 'set_up']),
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

const DAY_MS = 86_400_000
/** What is known of a case whose first event came at the begin of a test. */
type Alert = Partial<Pick<Outgoing, 'reason' | 'isLate'>> & {
  readonly label?: string
  readonly bucketId?: string | null
}

/** A case system under test, with the references that the ledger would keep. */
class Desk {
  readonly clock = new ManualClock()
  readonly server: CaseServer
  readonly #kind: OutsideKind
  readonly #parameters: OpenedParameters
  readonly references = new Map<string, string>()
  #sink: Sink
  #events = 0

  constructor(kind: OutsideKind, server: CaseServer, parameters: OpenedParameters) {
    this.#kind = kind
    this.server = server
    this.#parameters = { ...server.parameters, ...parameters }
    this.#sink = this.#open()
  }

  #open(): Sink {
    const { connection } = this.server
    const tools = toolsFor(undefined, this.clock)
    return this.#kind.openSink!('case_creation', withDefaults(this.#kind, connection), this.#parameters, tools)
  }

  /** As after a restart: nothing is in memory, references are. */
  async restart(): Promise<void> {
    await this.#sink.close()
    this.#sink = this.#open()
  }

  item({ label = 'Escalate', bucketId = 'b1', reason = 'decided', isLate }: Alert = {}): Outgoing {
    this.clock.advanceMs(1)
    const id = `e${++this.#events}`
    const event = decided(
      id,
      { result: label, resultLabel: label, bucketId, ingestMicros: this.clock.nowMicros() },
      { title: 'Odd log-on' },
    )
    return outgoing(id, { event, reason, ...(isLate === undefined ? {} : { isLate }) })
  }

  /** An alert comes; returns what became of it. */
  async alert(more: Alert = {}): Promise<Outcome> {
    return (await this.deliver([this.item(more)]))[0]!
  }

  async deliver(items: readonly Outgoing[]): Promise<Outcome[]> {
    const subject = (item: Outgoing): string => this.#sink.subjectOf!(item.event)
    const outcomes = await this.#sink.deliver(
      items.map((item) => ({ ...item, reference: this.references.get(subject(item)) ?? null })),
      never,
    )
    for (const [at, outcome] of outcomes.entries())
      if (outcome.outcome === 'delivered' && outcome.reference !== undefined)
        this.references.set(subject(items[at]!), outcome.reference)
    return outcomes
  }

  later(days: number): void {
    this.clock.advanceMs(days * DAY_MS)
  }

  /** A person closes the latest case. */
  closeCase(): void {
    this.server.cases.at(-1)!.closedMs = this.clock.nowMicros() / 1_000
  }

  /** How many notes each case has, and whether it is open. */
  get shape(): (readonly [notes: number, isOpen: boolean])[] {
    return this.server.cases.map(({ notes, closedMs }) => [notes.length, closedMs === null] as const)
  }

  get notes(): readonly string[] {
    return this.server.cases.at(-1)!.notes
  }

  async close(): Promise<void> {
    await this.#sink.close()
    await this.server.close()
  }
}

/** The contract of a sink that keeps cases: what people close, and what comes again. */
export function caseContract(name: string, kind: OutsideKind, open: () => Promise<CaseServer>): void {
  const fact = (what: string, parameters: OpenedParameters, run: (desk: Desk) => Promise<void>): void =>
    void it(what, async () => {
      const desk = new Desk(kind, await open(), parameters)
      try {
        await run(desk)
      } finally {
        await desk.close()
      }
    })

  describe(`cases in ${name}, when their alert comes again`, () => {
    fact('reopen the next day, and say how often it came', {}, async (desk) => {
      await desk.alert()
      desk.closeCase()
      desk.later(1)
      assert.equal((await desk.alert()).outcome, 'delivered')
      assert.deepEqual(desk.shape, [[1, true]])
      assert.match(desk.notes[0]!, /^Reopened: .* has come 2 times since 2023-11-14 22:13 UTC; the latest event is e2 /)
    })

    fact('are followed by a new one in three months, which is then the one that counts', {}, async (desk) => {
      await desk.alert()
      desk.closeCase()
      desk.later(90)
      await desk.alert()
      assert.deepEqual(desk.shape, [
        [0, false],
        [0, true],
      ])
      assert.match(desk.server.cases[1]!.text, /^Follows 1\.\n/)
      desk.closeCase()
      desk.later(1)
      await desk.alert()
      assert.deepEqual(desk.shape, [
        [0, false],
        [1, true],
      ])
    })

    fact('are followed by a new one at once if it is set so', { when_closed: 'new' }, async (desk) => {
      await desk.alert()
      desk.closeCase()
      await desk.alert()
      assert.deepEqual(desk.shape, [
        [0, false],
        [0, true],
      ])
    })

    fact(
      'stay closed and get a comment if it is set so, until they are old',
      { when_closed: 'comment', new_after_days: 7 },
      async (desk) => {
        await desk.alert()
        desk.closeCase()
        desk.later(6)
        await desk.alert()
        await desk.alert()
        assert.deepEqual(desk.shape, [[2, false]])
        desk.later(2)
        await desk.alert()
        assert.deepEqual(desk.shape.length, 2)
      },
    )

    fact('are never too old if it is set so', { new_after_days: 0 }, async (desk) => {
      await desk.alert()
      desk.closeCase()
      desk.later(900)
      await desk.alert()
      assert.deepEqual(desk.shape, [[1, true]])
    })

    fact('are followed by a new one where the workflow does not let them be reopened', {}, async (desk) => {
      desk.server.reopens = false
      await desk.alert()
      desk.closeCase()
      desk.later(1)
      await desk.alert()
      assert.deepEqual(desk.shape, [
        [0, false],
        [0, true],
      ])
    })

    fact('are made again where people have deleted them', {}, async (desk) => {
      await desk.alert()
      desk.server.cases.length = 0
      await desk.alert()
      assert.equal(desk.server.cases.length, 1)
    })

    fact('get the count while they are open, more and more rarely', {}, async (desk) => {
      for (let events = 0; events < 50; events++) await desk.alert()
      assert.deepEqual(
        desk.notes.map((note) => Number(/come (\d+) times/.exec(note)![1])),
        [2, 3, 5, 10, 20, 50],
      )
      desk.later(2)
      await desk.alert()
      assert.match(desk.notes.at(-1)!, /come 51 times/)
    })

    fact('get no count if it is set so, and are reopened all the same', { comment_repeats: false }, async (desk) => {
      for (let events = 0; events < 5; events++) await desk.alert()
      assert.deepEqual(desk.shape, [[0, true]])
      desk.closeCase()
      await desk.alert()
      assert.deepEqual(desk.shape, [[1, true]])
    })

    fact('are reopened by an event that comes with those that are delivered again after a crash', {}, async (desk) => {
      const items = [desk.item(), desk.item()]
      await desk.deliver(items)
      desk.closeCase()
      await desk.restart()
      await desk.deliver([...items, desk.item()])
      assert.deepEqual(desk.shape, [[2, true]])
    })

    fact('count an event once that is delivered again after a crash', {}, async (desk) => {
      const items = [desk.item(), desk.item(), desk.item()]
      await desk.deliver(items)
      await desk.restart()
      const outcomes = await desk.deliver(items)
      assert.deepEqual(
        outcomes.map(({ outcome }) => outcome),
        ['delivered', 'delivered', 'delivered'],
      )
      assert.deepEqual(desk.shape, [[2, true]])
      await desk.alert({ isLate: true })
      await desk.alert()
      assert.match(desk.notes.at(-1)!, /come 5 times/)
    })

    fact('are not made twice where the answer to a request was lost', {}, async (desk) => {
      const working = desk.server.http.answer
      const lose = async (isLost: (method: string, path: string) => boolean): Promise<Outcome> => {
        desk.server.http.answer = (received, response) => {
          if (!isLost(received.method, received.path)) return working(received, response)
          const deaf = { writeHead: () => deaf, end: () => response.destroy() }
          working(received, deaf as unknown as ServerResponse)
        }
        const outcome = await desk.alert()
        desk.server.http.answer = working
        return outcome
      }
      const isCreation = (method: string, path: string): boolean =>
        method === 'POST' && /\/(issue|issues\.json|case|incident)$/.test(path)
      assert.equal((await lose(isCreation)).outcome, 'failed')
      await desk.alert()
      assert.equal(desk.server.cases.length, 1)
      desk.closeCase()
      desk.later(90)
      assert.equal((await lose(isCreation)).outcome, 'failed')
      await desk.alert()
      assert.equal(desk.server.cases.length, 2)
    })

    fact('stay closed where only the decision of an old event changes, and say so', {}, async (desk) => {
      await desk.alert()
      desk.closeCase()
      await desk.alert({ reason: 'decided_again', label: 'Drop' })
      assert.deepEqual(desk.shape, [[1, false]])
      assert.match(desk.notes[0]!, /^The decision is now Drop /)
    })

    fact('are not touched while the system does not say how they are', {}, async (desk) => {
      await desk.alert()
      desk.closeCase()
      const working = desk.server.http.answer
      desk.server.http.answer = (_, response) => void response.writeHead(503).end()
      assert.equal((await desk.alert()).outcome, 'failed')
      desk.server.http.answer = working
      await desk.alert()
      assert.deepEqual(desk.shape, [[1, true]])
    })

    fact('get comments where the account may write to them, but not read them', {}, async (desk) => {
      await desk.alert()
      const working = desk.server.http.answer
      desk.server.http.answer = (received, response) =>
        received.method === 'GET' ? void response.writeHead(403).end() : working(received, response)
      await desk.alert()
      assert.deepEqual(desk.shape, [[1, true]])
    })
  })
}
