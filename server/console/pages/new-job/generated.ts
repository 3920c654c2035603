/** The built-in stream: alerts of six security products, with noise that comes again and the rare thing that matters. */
import type { SampleEvent } from './read-events.js'

interface Rule {
  readonly product: string
  readonly id: string
  readonly name: string
  readonly action: string
  readonly severity: number
  /** How often, against the others. */
  readonly weight: number
}

const rules: readonly Rule[] = [
  { product: 'endpoint', id: 'EP-10', name: 'Macro started a shell', action: 'process-start', severity: 70, weight: 3 },
  { product: 'endpoint', id: 'EP-11', name: 'Unsigned driver loaded', action: 'driver-load', severity: 55, weight: 6 },
  { product: 'firewall', id: 'FW-301', name: 'Port scan from outside', action: 'blocked', severity: 20, weight: 40 },
  { product: 'firewall', id: 'FW-310', name: 'Traffic to a rare country', action: 'allowed', severity: 35, weight: 14 },
  { product: 'identity', id: '4625', name: 'Failed logon', action: 'logon-failed', severity: 25, weight: 36 },
  {
    product: 'identity',
    id: '4728',
    name: 'Member added to an admin group',
    action: 'group-change',
    severity: 75,
    weight: 3,
  },
  { product: 'mail', id: 'ML-7', name: 'Suspicious attachment', action: 'quarantined', severity: 45, weight: 18 },
  { product: 'mail', id: 'ML-9', name: 'Link to a new domain', action: 'delivered', severity: 40, weight: 16 },
  {
    product: 'cloud',
    id: 'IAM-2',
    name: 'Access key created for another user',
    action: 'created',
    severity: 65,
    weight: 4,
  },
  { product: 'cloud', id: 'S3-4', name: 'Bucket made public', action: 'policy-change', severity: 80, weight: 2 },
  { product: 'proxy', id: 'PX-1', name: 'Download of an archive', action: 'allowed', severity: 15, weight: 30 },
  { product: 'proxy', id: 'PX-5', name: 'Beacon-like requests', action: 'allowed', severity: 60, weight: 5 },
]
const hosts = ['web', 'db', 'dc', 'laptop', 'printer'] as const
const roles = ['employee', 'employee', 'employee', 'contractor', 'service', 'administrator'] as const
const reputations = ['clean', 'clean', 'clean', 'unknown', 'unknown', 'malicious'] as const

/** A number from 0 to below 1, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

export function generatedEvents(count: number, nowMs: number, seed = 7): SampleEvent[] {
  const random = randomOf(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const total = rules.reduce((sum, { weight }) => sum + weight, 0)
  return Array.from({ length: count }, (_, n) => {
    let at = random() * total
    const rule = rules.find(({ weight }) => (at -= weight) < 0) ?? (rules[0] as Rule)
    const host = pick(hosts)
    const number = Math.floor(random() * 40)
    return {
      '@timestamp': new Date(nowMs - (count - n) * 21_000).toISOString(),
      alert: { id: `A-${100_000 + n}` },
      product: rule.product,
      rule: { id: rule.id, name: rule.name },
      event: { action: rule.action, severity: rule.severity },
      host: { name: `${host}-${number}`, type: host, criticality: host === 'dc' || host === 'db' ? 'high' : 'normal' },
      user: { name: `u${Math.floor(random() * 300)}`, role: pick(roles) },
      source: { ip: `10.${Math.floor(random() * 8)}.${Math.floor(random() * 250)}.${number}` },
      threat: { reputation: pick(reputations) },
      message: `${rule.name} on ${host}-${number}, reported as number ${n} of the stream`,
    }
  })
}
