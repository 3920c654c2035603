/**
 * Eight weeks of a shop, six simulated hours at a time: events come in, the gates settle what is proved, people answer
 * the rest, and a model that ages is trained again.
 *
 * Owns: the course of the weeks, and the counts that only the demo knows, since it knows the truth. Leaves out: what
 * people do (people.ts), the words of the report (story.ts).
 *
 * 1. The service is asked over HTTP for everything. Only its clock is simulated (harness/in-process.ts).
 * 2. What is counted of an event is the service's first answer to it.
 */
import { UnexpectedAnswer, type Client, type EventAnswer } from '../../harness/client.js'
import { train } from '../../harness/job.js'
import type { TimedService } from '../../harness/in-process.js'
import { play } from '../play.js'
import { noFigures, type WeekFigures } from './figures.js'
import { People } from './people.js'
import type { WeeksStream } from './streams.js'

export const WEEKS = 8
const DAYS = 7 * WEEKS
const PARTS = 4
const DAY_MICROS = 24 * 3_600_000_000
/** When the job stops, so many days of what it settled are looked at again. */
const REOPEN_DAYS = 3
const PART_MS = (24 * 3_600_000) / PARTS
/** Days without a model: people answer everything. */
const FIRST_DAYS = 2
/** A decision of at least this confidence is what one would close without a contract. */
const SURE = 90

export interface ShopTerms {
  readonly epsilon: number
  readonly delta: number
  readonly thresholds: readonly number[]
  /** The share of audits: in shadow people look at everything, so it costs nothing there. */
  readonly holdOut: { readonly shadow: number; readonly open: number }
  /** A gate is opened when its bound is at most this share of epsilon. */
  readonly room: number
}

interface Gate {
  readonly gate_id: string
  readonly threshold: number
  readonly model: string
  readonly state: 'shadow' | 'open' | 'revoked'
  readonly reason: string
  readonly message: string
  readonly certified: boolean
  readonly bound: number | null
  readonly audits: number
  readonly failures: number
  /** Both rates, for people. */
  readonly rates: readonly string[]
}

interface AutonomyAnswer {
  readonly gates: readonly Gate[]
  readonly ended_gates: readonly Gate[]
}

/** Something that happened, with the day from 1 on. */
export interface Happening {
  readonly day: number
  readonly text: string
}

export interface ShopResult {
  readonly weeks: readonly WeekFigures[]
  readonly happenings: readonly Happening[]
  /** What the open gate says at the end; empty without one. */
  readonly now: readonly string[]
  /** Documents of certificates, oldest first. */
  readonly certificates: readonly Record<string, unknown>[]
}

type Answered = EventAnswer & { readonly autonomy?: string }

/** Why a gate does not settle any more. */
function reasonOf(gate: Gate | undefined): string {
  return gate === undefined ? 'its gate is gone' : (gate.message.split(': ').at(-1) ?? gate.message)
}

export class Shop {
  readonly #service: TimedService
  readonly #client: Client
  readonly #jobId: number
  readonly #stream: WeeksStream
  readonly #terms: ShopTerms
  readonly #people: People
  readonly #truths = new Map<string, number>()
  readonly #happenings: Happening[] = []
  readonly #weeks = Array.from({ length: WEEKS }, noFigures)
  /** Settled wrongly since the job stopped last. */
  #missed: { readonly micros: number; readonly week: WeekFigures }[] = []
  #isTrained = false
  #isOpen = false
  #mustTrain = false
  #day = 0

  constructor(service: TimedService, jobId: number, stream: WeeksStream, terms: ShopTerms) {
    this.#service = service
    this.#client = service.client
    this.#jobId = jobId
    this.#stream = stream
    this.#terms = terms
    const labelOf = (id: string): string => stream.labels[this.#truths.get(id) as number] as string
    this.#people = new People(service.client, jobId, labelOf)
  }

  async run(onProgress: (day: number) => void): Promise<ShopResult> {
    const { events } = this.#stream
    for (let part = 0; part < DAYS * PARTS; part++) {
      this.#day = Math.floor(part / PARTS)
      const [from, to] = [part, part + 1].map((at) => Math.floor((events.length * at) / (DAYS * PARTS)))
      await this.#part(part, from as number, to as number)
      if (part % PARTS === PARTS - 1) await this.#endOfDay()
      onProgress(this.#day + 1)
    }
    const { gates } = await this.#autonomy()
    const now = gates.findLast(({ state }) => state === 'open')?.rates ?? []
    return { weeks: this.#weeks, happenings: this.#happenings, now, certificates: await this.#certificates() }
  }

  /** The events of six hours come in, and people answer what is theirs. */
  async #part(part: number, from: number, to: number): Promise<void> {
    const { clock } = this.#service
    clock.advanceMs(PART_MS)
    const since = new Date(clock.nowMicros() / 1000).toISOString().slice(0, 23)
    const events = this.#stream.events.slice(from, to)
    for (const [i, { truth }] of events.entries()) this.#truths.set(`p${part}-${i}`, truth)
    const played = await play({ client: this.#client, jobId: this.#jobId }, `p${part}`, events, () => {})
    const before = this.#people.clicks
    const week = this.#weeks[Math.floor(this.#day / 7)] as WeekFigures
    for (const { event, answer } of played) this.#count(week, event.truth, answer)
    if (this.#isTrained) await this.#people.answerQueue(since)
    else await this.#people.answer(played.map(({ eventId }) => eventId))
    if (this.#isTrained) week.bound = await this.#lookAtGates()
    week.clicks += this.#people.clicks - before
  }

  #count(week: WeekFigures, truth: number, answer: Answered): void {
    const { protects, settles, labels } = this.#stream
    const isProtected = protects.includes(labels[truth] as string)
    const isSettled = answer.autonomy === 'settled'
    const isClosable = answer.result_label === settles && answer.confidence_score >= SURE
    week.events++
    week.settled += Number(isSettled)
    week.missed += Number(isSettled && isProtected)
    if (isSettled && isProtected) this.#missed.push({ micros: this.#service.clock.nowMicros(), week })
    week.protectedEvents += Number(isProtected)
    week.closable += Number(isClosable)
    week.closableMissed += Number(isClosable && isProtected)
    week.protectedDecided += Number(isProtected && answer.result !== '')
  }

  /** Opens and notes what the gates allow; returns the bound of the open one. */
  async #lookAtGates(): Promise<number | null> {
    const { gates } = await this.#autonomy()
    const open = gates.filter(({ state }) => state === 'open').at(-1)
    const revoked = gates.find(({ state }) => state === 'revoked')
    if (this.#isOpen && open === undefined) {
      this.#note(`the job stops at once: ${reasonOf(revoked ?? gates[0])}.`)
      this.#isOpen = false
      await this.#reopen()
      if (revoked === undefined) await this.#setContract('shadow')
    } else if (revoked !== undefined && !this.#mustTrain) this.#note(`the proof begins anew: ${reasonOf(revoked)}.`)
    if (revoked !== undefined) this.#mustTrain = true
    else if (!this.#isOpen) await this.#openIfProved(gates[0])
    return open?.bound ?? null
  }

  /** What was settled lately goes back to people. */
  async #reopen(): Promise<void> {
    const sinceMicros = this.#service.clock.nowMicros() - REOPEN_DAYS * DAY_MICROS
    const since = new Date(sinceMicros / 1000).toISOString()
    const { reopened } = (await this.#client.ask('POST', this.#path('autonomy/reopen'), { start_date: since })) as {
      readonly reopened: number
    }
    await this.#people.answerQueue(since)
    const found = this.#missed.filter(({ micros }) => micros >= sinceMicros)
    this.#missed = []
    for (const { week } of found) week.foundAgain++
    this.#note(
      `${reopened} alerts that it settled in the last ${REOPEN_DAYS} days go back to people: ` +
        `${found.length} of them are ${this.#stream.protects.join(' or ')}.`,
    )
  }

  /** With some room to spare: else the first miss would close the gate again. */
  async #openIfProved(gate: Gate | undefined): Promise<void> {
    const { epsilon, room } = this.#terms
    if (gate?.certified !== true || (gate.bound ?? 1) > room * epsilon) return
    this.#note(
      `proved: of ${gate.audits} audits ${gate.failures} found a miss. From now on the job settles ` +
        `${this.#stream.settles} automatically at a confidence of ${gate.threshold} or more.`,
    )
    await this.#setContract('open')
    this.#isOpen = true
  }

  async #endOfDay(): Promise<void> {
    if (this.#day + 1 < FIRST_DAYS || (this.#isTrained && !this.#mustTrain)) return
    try {
      await train(this.#client, this.#jobId)
    } catch (error) {
      // Too few labels were seen so far.
      if (error instanceof UnexpectedAnswer && error.status === 409) return
      throw error
    }
    this.#note(
      this.#isTrained
        ? 'the model is trained again. Nothing is proved of it yet, so people look at everything.'
        : 'the first model. Nothing is proved of it yet, so people look at everything.',
    )
    this.#isTrained = true
    this.#mustTrain = false
    await this.#setContract('shadow')
  }

  async #setContract(mode: 'shadow' | 'open'): Promise<void> {
    const { epsilon, delta, thresholds, holdOut } = this.#terms
    await this.#client.ask('PUT', this.#path('autonomy'), {
      mode,
      hold_out_rate: holdOut[mode],
      protected_labels: this.#stream.protects,
      labels: [{ label: this.#stream.settles, epsilon, delta, thresholds }],
    })
  }

  async #autonomy(): Promise<AutonomyAnswer> {
    return (await this.#client.ask('GET', this.#path('autonomy'))) as AutonomyAnswer
  }

  async #certificates(): Promise<Record<string, unknown>[]> {
    const answer = (await this.#client.ask('GET', this.#path('autonomy/certificates'))) as {
      readonly certificates: readonly { readonly certificate: Record<string, unknown> }[]
    }
    return answer.certificates.map(({ certificate }) => certificate).reverse()
  }

  #note(text: string): void {
    this.#happenings.push({ day: this.#day + 1, text })
  }

  #path(rest: string): string {
    return `/api/v2/jobs/${this.#jobId}/${rest}`
  }
}
