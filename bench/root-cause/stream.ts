/**
 * Alerts of a world of services that call each other: incidents that climb from callee to caller, and noise. A seed
 * determines everything. Each incident is a cluster of its own once the stream has passed it.
 */
import { SeededRandom } from '../../engine/rng.js'

export interface StreamAlert {
  /** Milliseconds since 1970. */
  readonly timeMs: number
  readonly body: Readonly<Record<string, unknown>>
  /** 0 root cause, 1 symptom, 2 irrelevant. */
  readonly label: number
  /** Number of its incident; noise has a number of its own. */
  readonly incident: number
}

const causes = [
  'disk full',
  'out of memory',
  'node lost',
  'bad deployment',
  'certificate expired',
  'packet loss',
] as const
const effects = ['latency high', 'errors high', 'queue growing', 'timeouts', 'saturation', 'retries'] as const
const noise = ['login failed', 'backup slow', 'clock skew', 'config changed'] as const

export interface World {
  readonly services: number
  /** The most callees of a service. */
  readonly callees: number
  /** Seconds from one incident to the next, on average. */
  readonly every: number
}

interface Sent {
  readonly timeMs: number
  readonly service: number
  readonly type: string
  readonly label: number
}

/** Alerts in time order, without end. */
export function* serviceAlerts({ services, callees, every }: World, seed: number): Generator<StreamAlert> {
  const random = new SeededRandom(seed)
  const calls = Array.from({ length: services }, (_, own) => {
    return own === 0 ? [] : [...new Set(Array.from({ length: 1 + random.below(callees) }, () => random.below(own)))]
  })
  const callers: number[][] = Array.from({ length: services }, () => [])
  calls.forEach((callees, own) => callees.forEach((callee) => (callers[callee] as number[]).push(own)))
  const waiting: StreamAlert[] = []
  let now = Date.UTC(2023, 0, 1)
  const alert = (incident: number, { timeMs, service, type, label }: Sent): StreamAlert => {
    const listed = (calls[service] as number[]).map((callee) => `svc-${callee}`)
    const body = {
      '@timestamp': new Date(timeMs).toISOString(),
      alert: { type, severity: 1 + (type.length % 4) },
      service: { name: `svc-${service}`, callees: listed },
    }
    return { timeMs, label, incident, body }
  }
  for (let incident = 0; ; incident++) {
    now += Math.ceil(-Math.log(1 - random.nextFloat()) * every * 1000)
    if (random.below(3) === 0) {
      const [service, type] = [random.below(services), random.pick(noise)]
      waiting.push(alert(incident, { timeMs: now, service, type, label: 2 }))
    } else {
      const cause = random.below(causes.length)
      let front = [{ service: random.below(services), at: now }]
      const hit = new Set(front.map(({ service }) => service))
      const first =
        waiting.push(
          alert(incident, {
            timeMs: now,
            service: (front[0] as { service: number }).service,
            type: causes[cause] as string,
            label: 0,
          }),
        ) - 1
      for (let depth = 0; front.length > 0 && depth < 4; depth++) {
        front = front.flatMap(({ service, at }) =>
          (callers[service] as number[]).slice(0, 4).flatMap((caller) => {
            if (hit.has(caller) || random.below(4) === 0) return []
            hit.add(caller)
            const then = at + 1_000 + random.below(20_000)
            const type = effects[(cause + depth) % effects.length] as string
            waiting.push(alert(incident, { timeMs: then, service: caller, type, label: 1 }))
            return [{ service: caller, at: then }]
          }),
        )
      }
      if (hit.size === 1) waiting[first] = { ...(waiting[first] as StreamAlert), label: 2 }
    }
    waiting.sort((a, b) => a.timeMs - b.timeMs)
    while (waiting.length > 0 && (waiting[0] as StreamAlert).timeMs <= now) yield waiting.shift() as StreamAlert
  }
}
