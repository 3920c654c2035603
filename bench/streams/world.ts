/**
 * The organisation that the alerts come from: its hosts and users, the addresses around it, and what drifts half-way.
 */
import type { Random } from './random.js'
import { rules, type Rule } from './products.js'

export interface Host {
  readonly name: string
  readonly ip: string
  readonly platform: 'windows' | 'linux' | 'macos'
  readonly zone: string
  /** 1 (a test machine) to 4 (the business stops without it). */
  readonly criticality: number
}

export interface User {
  readonly name: string
  readonly roles: readonly string[]
  readonly privileged: boolean
}

export interface Remote {
  readonly ip: string
  readonly country: string
  /** 0 (unknown, harmless) to 100 (listed everywhere), in steps of 10. */
  readonly reputation: number
}

export interface ProcessInfo {
  readonly name: string
  readonly path: string
  /** Added to the malice of an alert about the process. */
  readonly malice: number
}

const zones: readonly (readonly [string, number, Host['platform'], number])[] = [
  ['workstation', 1, 'windows', 180],
  ['workstation', 2, 'macos', 60],
  ['server', 3, 'linux', 70],
  ['server', 3, 'windows', 40],
  ['dmz', 3, 'linux', 25],
  ['domain', 4, 'windows', 8],
  ['payments', 4, 'linux', 12],
  ['lab', 1, 'linux', 30],
]

const roleSets: readonly (readonly [readonly string[], number])[] = [
  [['employee'], 160],
  [['employee', 'finance'], 35],
  [['employee', 'developer'], 55],
  [['employee', 'executive'], 8],
  [['administrator', 'employee'], 14],
  [['service'], 28],
  [['contractor'], 24],
]

/** Before and after the drift; the second list replaces the first. */
const processLists: readonly (readonly ProcessInfo[])[] = [
  [
    { name: 'powershell.exe', path: 'C:\\Windows\\System32', malice: 0.5 },
    { name: 'winword.exe', path: 'C:\\Program Files\\Office', malice: 0.2 },
    { name: 'psexec.exe', path: 'C:\\Tools', malice: 0.8 },
    { name: 'rundll32.exe', path: 'C:\\Windows\\System32', malice: 0.6 },
    { name: 'chrome.exe', path: 'C:\\Program Files\\Chrome', malice: -0.4 },
    { name: 'bash', path: '/usr/bin', malice: 0.1 },
    { name: 'python3', path: '/usr/bin', malice: 0.2 },
    { name: 'java', path: '/opt/java/bin', malice: -0.1 },
    { name: 'updater', path: '/opt/agent', malice: -0.8 },
  ],
  [
    { name: 'pwsh.exe', path: 'C:\\Program Files', malice: 0.5 },
    { name: 'winword.exe', path: 'C:\\Program Files\\Office', malice: 0.2 },
    { name: 'psexec.exe', path: 'C:\\Tools', malice: -1.2 },
    { name: 'rundll32.exe', path: 'C:\\Windows\\System32', malice: 0.6 },
    { name: 'mshta.exe', path: 'C:\\Windows\\System32', malice: 1.1 },
    { name: 'chrome.exe', path: 'C:\\Program Files\\Chrome', malice: -0.4 },
    { name: 'bash', path: '/usr/bin', malice: 0.1 },
    { name: 'python3', path: '/usr/bin', malice: 0.2 },
    { name: 'updater', path: '/opt/agent', malice: -0.8 },
  ],
]

const countries = ['NL', 'DE', 'US', 'FR', 'GB', 'RO', 'CN', 'RU', 'BR', 'IN', 'VN', 'KP', 'SC', 'PL', 'CA']

/** Rules whose meaning the drift changes: by how much. */
const maliceShift: Readonly<Record<string, number>> = {
  'WW-2111': 2.2,
  'EG-1004': -1.9,
  'CT-4004': 1.3,
  'SO-603': -1.0,
}

/** One in three network rules gets a new id and a new name in the drift. */
function afterDrift(rule: Rule, index: number): Rule {
  const malice = rule.malice + (maliceShift[rule.id] ?? 0)
  if (rule.product !== 'nids' || index % 3 !== 0) return { ...rule, malice }
  return { ...rule, malice, id: `${rule.id}-r2`, name: `${rule.name}, revised`, severity: rule.severity + 5 }
}

export class World {
  readonly hosts: readonly Host[]
  readonly users: readonly User[]
  readonly remotes: readonly Remote[]
  /** Index 0 before the drift, 1 after it; the same positions are the same rules. */
  readonly rules: readonly (readonly Rule[])[] = [rules, rules.map(afterDrift)]
  readonly processes = processLists

  constructor(random: Random) {
    this.hosts = zones.flatMap(([zone, criticality, platform, count], z) =>
      Array.from({ length: count }, (_, i): Host => {
        const name = `${zone.slice(0, 3)}-${platform.slice(0, 3)}-${String(i + 1).padStart(3, '0')}`
        return { name, ip: `10.${20 + z}.${i >> 6}.${10 + (i & 63)}`, platform, zone, criticality }
      }),
    )
    this.users = roleSets.flatMap(([roles, count]) =>
      Array.from({ length: count }, (_, i): User => {
        const name = `${roles[roles.length - 1] ?? 'user'}.${String(i + 1).padStart(3, '0')}`
        return { name, roles, privileged: roles.includes('administrator') || roles.includes('executive') }
      }),
    )
    this.remotes = Array.from({ length: 600 }, (): Remote => {
      const bad = random.chance(0.3)
      const reputation = bad ? 40 + 10 * random.below(7) : 10 * random.below(4)
      const ip = `${11 + random.below(180)}.${random.below(256)}.${random.below(256)}.${1 + random.below(254)}`
      return { ip, country: countries[Math.floor(random.unit() ** 1.6 * countries.length)] as string, reputation }
    })
  }
}
