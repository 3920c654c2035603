/**
 * Synthetic alerts of microservices with their truth. The alerts themselves tell who calls whom (an id, and a field
 * that lists callees). Incidents climb from callee to caller, several at a time, and much is noise. A seed determines
 * everything.
 *
 * It is hard in the way that real systems are: the kinds of alerts say little. The same few symptoms follow from every
 * cause and pass from service to service unchanged. Three incidents in ten begin with one of them, so only the place in
 * the topology tells. Symptoms also occur alone. One alert in eight is delivered late.
 */
import { SeededRandom } from '../../engine/rng.js'
import type { Alarm } from './alarms.js'

interface Topology {
  /** For each service the ones that it calls. */
  readonly calls: readonly (readonly number[])[]
  /** Seconds from a callee's alert to its caller's. */
  readonly hop: readonly [least: number, most: number]
  /** Seconds from one incident to the next, on average. */
  readonly every: number
}

const causes = ['DiskFull', 'OutOfMemory', 'NodeLost', 'BadDeployment', 'CertificateExpired', 'PacketLoss'] as const
const symptoms = ['LatencyHigh', 'ErrorsHigh', 'Timeouts', 'QueueGrowing'] as const
const noise = ['LoginFailed', 'BackupSlow', 'ClockSkew', 'ConfigChanged', 'CpuHigh'] as const

const [ROOT_CAUSE, SYMPTOM, IRRELEVANT] = [0, 1, 2]
const DEPTH_MAX = 5
const HIT_MAX = 25

function layered(sizes: readonly number[], callees: number, random: SeededRandom): number[][] {
  const calls: number[][] = []
  let first = 0
  for (const [layer, size] of sizes.entries()) {
    const below = sizes[layer - 1] ?? 0
    for (let at = 0; at < size; at++) {
      calls.push(
        below === 0
          ? []
          : [...new Set(Array.from({ length: 1 + random.below(callees) }, () => first - below + random.below(below)))],
      )
    }
    first += size
  }
  return calls
}

/** The topologies by name; built again for each seed. */
const topologies: Readonly<Record<string, (random: SeededRandom) => Topology>> = {
  /** Twelve chains of eight: each service calls the next. */
  chain: () => ({
    calls: Array.from({ length: 96 }, (_, at) => (at % 8 === 0 ? [] : [at - 1])),
    hop: [1, 20],
    every: 45,
  }),
  /** The same chains, but a symptom takes one to three minutes to show. */
  slow_chain: () => ({
    calls: Array.from({ length: 96 }, (_, at) => (at % 8 === 0 ? [] : [at - 1])),
    hop: [60, 180],
    every: 120,
  }),
  /** Few databases below some services below many front ends: one cause, many symptoms at once. */
  fan_in: (random) => ({ calls: layered([6, 18, 60], 2, random), hop: [1, 20], every: 60 }),
  /** Rings of ten with shortcuts: every service calls every other, directly or not. */
  cyclic: (random) => ({
    calls: Array.from({ length: 80 }, (_, at) =>
      [...new Set([at - (at % 10) + ((at + 1) % 10), at - (at % 10) + random.below(10)])].filter((to) => to !== at),
    ),
    hop: [1, 20],
    every: 60,
  }),
  /** A mesh in which several incidents are active most of the time. */
  crowded: (random) => ({ calls: layered([10, 40, 80, 70], 3, random), hop: [2, 30], every: 8 }),
}

export const topologyNames = Object.keys(topologies)

interface Coming {
  readonly deliveredMs: number
  readonly alarm: Alarm
}

/** About `count` alarms in the order of their delivery. */
export function topologyAlarms(name: string, count: number, seed: number): Alarm[] {
  const random = new SeededRandom(seed)
  const build = topologies[name]
  if (build === undefined) throw new Error(`there is no topology ${name}`)
  const topology = build(random)
  const callers: number[][] = topology.calls.map(() => [])
  topology.calls.forEach((callees, own) => callees.forEach((callee) => (callers[callee] as number[]).push(own)))
  const coming: Coming[] = []
  let now = Date.UTC(2023, 0, 1)
  const alert = (cluster: number, label: number, { at, who, type }: Hit): void => {
    const callees = (topology.calls[who] as readonly number[]).map((callee) => `svc-${callee}`)
    const event = {
      '@timestamp': new Date(at).toISOString(),
      alertname: type,
      service: { name: `svc-${who}`, callees },
    }
    const late = random.below(8) === 0 ? random.below(60_000) : random.below(500)
    coming.push({ deliveredMs: at + late, alarm: { event, label, cluster } })
  }
  for (let cluster = 0; coming.length < count; cluster++) {
    now += Math.ceil(-Math.log(1 - random.nextFloat()) * topology.every * 1000)
    const service = random.below(topology.calls.length)
    if (random.below(3) === 0) {
      const type = random.below(4) === 0 ? random.pick(symptoms) : random.pick(noise)
      alert(cluster, IRRELEVANT, { at: now, who: service, type })
      continue
    }
    const cause = random.below(10) < 3 ? random.pick(symptoms) : random.pick(causes)
    const first: Hit = { at: now, who: service, type: cause }
    const hit = spread(first, { topology, callers, random })
    // An alarm with no consequences is not a root cause.
    alert(cluster, hit.length === 0 ? IRRELEVANT : ROOT_CAUSE, first)
    for (const each of hit) alert(cluster, SYMPTOM, each)
  }
  return coming.sort((a, b) => a.deliveredMs - b.deliveredMs).map(({ alarm }) => alarm)
}

interface Net {
  readonly topology: Topology
  readonly callers: readonly (readonly number[])[]
  readonly random: SeededRandom
}

/** An alarm of a service. */
interface Hit {
  /** Milliseconds. */
  readonly at: number
  readonly who: number
  readonly type: string
}

/** The consequences of a cause: sometimes a symptom of the service itself, and symptoms of its callers, hop by hop. */
function spread({ at: startMs, who: service, type: cause }: Hit, { topology, callers, random }: Net): Hit[] {
  const between = ([least, most]: readonly [number, number]): number =>
    Math.round(1000 * (least + random.nextFloat() * (most - least)))
  const hits: Hit[] = []
  const reached = new Set([service])
  let type: string = (symptoms as readonly string[]).includes(cause) ? cause : random.pick(symptoms)
  if (type !== cause && random.below(2) === 0) hits.push({ at: startMs + between([1, 10]), who: service, type })
  let front = [{ who: service, at: hits[0]?.at ?? startMs }]
  for (let depth = 0; depth < DEPTH_MAX && front.length > 0; depth++) {
    // A symptom mostly passes on unchanged.
    if (random.below(4) === 0) type = random.pick(symptoms)
    const next: { who: number; at: number }[] = []
    for (const { who, at } of front) {
      for (const caller of callers[who] as readonly number[]) {
        if (reached.has(caller) || random.below(5) === 0 || reached.size > HIT_MAX) continue
        reached.add(caller)
        const then = at + between(topology.hop)
        hits.push({ at: then, who: caller, type })
        next.push({ who: caller, at: then })
      }
    }
    front = next
  }
  return hits
}
