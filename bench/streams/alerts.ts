/**
 * A stream of security alerts from six products of one organisation, for the demo and the benchmarks.
 *
 * 1. The same seed and length give the same alerts, byte for byte.
 * 2. No two bodies are equal: ids, times, ports and hashes differ, while the decision points repeat.
 * 3. Half-way the world drifts: rules are renamed, tools change their meaning, a third of the routine is new.
 */
import { products, type ProductInfo } from './products.js'
import { Random } from './random.js'
import { Intrusion, Routine, oddity, type Era, type Situation } from './situation.js'
import { truthOf, type AlertLabel } from './truth.js'
import { World } from './world.js'

export { alertLabels, type AlertLabel } from './truth.js'

/** Twelve decision points: categories, numbers, text and arrays. */
export const alertPoints: readonly string[] = [
  'event.module',
  'event.outcome',
  'event.severity',
  'rule.id',
  'rule.name',
  'threat.technique.id',
  'threat.reputation',
  'host.zone',
  'host.criticality',
  'user.roles',
  'process.name',
  'source.geo.country_iso_code',
]

export interface Alert {
  /** The event as a product would send it. */
  readonly body: Readonly<Record<string, unknown>>
  readonly label: AlertLabel
  /** The number of its intrusion, from 1; 0 for none. */
  readonly campaign: number
}

const firstMs = Date.UTC(2026, 0, 5, 6)
const oddityShare = 0.025
const intrusionShare = 0.06
const intrusionsAtOnce = 4

export class AlertStream {
  readonly #random: Random
  readonly #world: World
  readonly #routine: Routine
  readonly #intrusions: Intrusion[] = []
  readonly #driftAt: number
  #made = 0
  #intrusionCount = 0
  #nowMs = firstMs
  #era: Era = 0

  /** `length` sets where half-way is; more alerts than that may be taken. */
  constructor(seed: number, length: number) {
    this.#random = new Random(seed)
    this.#world = new World(this.#random)
    this.#routine = new Routine(this.#world, this.#random)
    this.#driftAt = length >>> 1
  }

  next(): Alert {
    if (this.#made === this.#driftAt) {
      this.#era = 1
      this.#routine.drift()
    }
    this.#made++
    this.#nowMs += this.#random.below(1_600)
    const situation = this.#situation()
    const label = truthOf(situation, this.#random)
    return { body: word(situation, this.#nowMs, this.#random), label, campaign: situation.campaign }
  }

  #situation(): Situation {
    const roll = this.#random.unit()
    if (roll < oddityShare) return oddity(this.#world, this.#era, this.#random)
    if (roll >= oddityShare + intrusionShare) return this.#routine.next()
    const slot = this.#random.below(intrusionsAtOnce)
    let intrusion = this.#intrusions[slot]
    if (intrusion === undefined || intrusion.over) {
      intrusion = new Intrusion(this.#world, this.#random, ++this.#intrusionCount)
      this.#intrusions[slot] = intrusion
    }
    return intrusion.next(this.#era)
  }
}

const hexDigits = Array.from({ length: 65_536 }, (_, i) => i.toString(16).padStart(4, '0'))

function hex32(random: Random): string {
  const n = random.uint32()
  return (hexDigits[n >>> 16] as string) + (hexDigits[n & 0xffff] as string)
}

let isoSecond = -1
let isoPrefix = ''

function iso(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== isoSecond) {
    isoPrefix = new Date(second * 1000).toISOString().slice(0, 20)
    isoSecond = second
  }
  return `${isoPrefix}${String(1000 + (ms - second * 1000)).slice(1)}Z`
}

/** Describes a situation as its product would: fields named after the Elastic Common Schema. */
function word(situation: Situation, nowMs: number, random: Random): Record<string, unknown> {
  const { rule, host, user, remote, process, blocked } = situation
  const product: ProductInfo = products[rule.product]
  const body: Record<string, unknown> = {
    '@timestamp': iso(nowMs),
    event: {
      id: `${hex32(random)}-${hex32(random)}`,
      kind: 'alert',
      module: rule.product,
      dataset: product.dataset,
      category: [product.category],
      outcome: blocked ? 'blocked' : 'allowed',
      severity: situation.severity,
    },
    rule: { id: rule.id, name: rule.name },
    threat: { technique: { id: rule.techniques }, reputation: remote === null ? 0 : remote.reputation },
    observer: { product: product.title },
    host: {
      name: host.name,
      ip: [host.ip],
      os: { platform: host.platform },
      zone: host.zone,
      criticality: host.criticality,
    },
    user: { name: user.name, roles: user.roles },
    message: `${product.title}: ${rule.name}`,
  }
  if (process !== null) {
    body.process = {
      name: process.name,
      pid: 300 + random.below(60_000),
      executable: `${process.path}/${process.name}`,
      hash: { md5: hex32(random) + hex32(random) },
    }
  }
  if (remote !== null) {
    body.source = { ip: remote.ip, port: 1024 + random.below(64_000), geo: { country_iso_code: remote.country } }
    body.destination = { ip: host.ip, port: rule.port }
    body.network = { transport: rule.port === 53 ? 'udp' : 'tcp', bytes: 64 + random.below(1_000_000) }
  }
  return body
}
