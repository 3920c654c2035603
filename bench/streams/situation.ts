/**
 * What happened, before a product describes it: routine that repeats, oddities, and intrusions in several steps.
 *
 * 1. Routine comes from a fixed set of patterns with heavy-tailed weights. The drift replaces a part of them.
 * 2. An intrusion goes through the stages in order, from one source, over hosts and users that it gains on the way.
 */
import type { Rule, Stage } from './products.js'
import { stages } from './products.js'
import { type Random, zipf } from './random.js'
import type { Host, ProcessInfo, Remote, User, World } from './world.js'

export interface Situation {
  readonly rule: Rule
  readonly severity: number
  readonly host: Host
  readonly user: User
  readonly remote: Remote | null
  readonly process: ProcessInfo | null
  readonly blocked: boolean
  /** The number of its intrusion, from 1; 0 for none. */
  readonly campaign: number
}

const patternCount = 1_400
const patternsReplaced = 0.35
const patternWeights = zipf(patternCount, 0.95)

/** 0 before the drift, 1 after it. */
export type Era = 0 | 1

function processFor(world: World, era: Era, rule: Rule, random: Random): ProcessInfo | null {
  return rule.product === 'edr' ? random.pick(world.processes[era] as readonly ProcessInfo[]) : null
}

function seenFromOutside(rule: Rule): boolean {
  return rule.product !== 'edr' && rule.id !== 'WW-2101' && rule.id !== 'FW-305'
}

/** Any rule on any host: rare, and seldom twice the same. */
export function oddity(world: World, era: Era, random: Random): Situation {
  const rule = random.pick(world.rules[era] as readonly Rule[])
  return {
    rule,
    severity: rule.severity + 5 * (random.below(3) - 1),
    host: random.pick(world.hosts),
    user: random.pick(world.users),
    remote: seenFromOutside(rule) ? random.pick(world.remotes) : null,
    process: processFor(world, era, rule, random),
    blocked: random.chance(0.35),
    campaign: 0,
  }
}

/** Routine: the same few things over and over, with a long tail. */
export class Routine {
  readonly #world: World
  readonly #random: Random
  readonly #patterns: Situation[]
  #era: Era = 0

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
    this.#patterns = Array.from({ length: patternCount }, () => this.#pattern())
  }

  #pattern(): Situation {
    const world = this.#world
    const random = this.#random
    const list = world.rules[this.#era] as readonly Rule[]
    let rule = random.pick(list)
    // The less harmful of two rules: routine is mostly harmless.
    const other = random.pick(list)
    if (other.malice < rule.malice) rule = other
    const process = processFor(world, this.#era, rule, random)
    return { ...oddity(world, this.#era, random), rule, severity: rule.severity, process }
  }

  drift(): void {
    this.#era = 1
    const [before, after] = this.#world.rules as readonly [readonly Rule[], readonly Rule[]]
    const current = new Map(before.map((rule, i) => [rule, after[i] as Rule]))
    for (let i = 0; i < patternCount; i++) {
      const old = this.#patterns[i] as Situation
      if (this.#random.chance(patternsReplaced)) this.#patterns[i] = this.#pattern()
      else this.#patterns[i] = { ...old, rule: current.get(old.rule) ?? old.rule }
    }
  }

  next(): Situation {
    const random = this.#random
    const pattern = this.#patterns[patternWeights.draw(random)] as Situation
    const roll = random.unit()
    if (roll > 0.07) return pattern
    if (roll > 0.045) return { ...pattern, host: random.pick(this.#world.hosts) }
    if (roll > 0.02) return { ...pattern, user: random.pick(this.#world.users) }
    if (pattern.remote === null) return { ...pattern, blocked: !pattern.blocked }
    return { ...pattern, remote: random.pick(this.#world.remotes) }
  }
}

/** One intrusion, alert by alert. */
export class Intrusion {
  readonly #world: World
  readonly #random: Random
  readonly #number: number
  readonly #source: Remote
  readonly #steps: Stage[]
  #host: Host
  #user: User

  constructor(world: World, random: Random, number: number) {
    this.#world = world
    this.#random = random
    this.#number = number
    this.#source = { ...random.pick(world.remotes), reputation: 50 + 10 * random.below(6) }
    this.#host = random.pick(world.hosts)
    this.#user = random.pick(world.users)
    const depth = 2 + random.below(stages.length - 1)
    this.#steps = stages.slice(0, depth).flatMap((stage) => Array.from({ length: 1 + random.below(6) }, () => stage))
  }

  get over(): boolean {
    return this.#steps.length === 0
  }

  next(era: Era): Situation {
    const random = this.#random
    const world = this.#world
    const stage = this.#steps.shift() as Stage
    const rule = random.pick((world.rules[era] as readonly Rule[]).filter((candidate) => candidate.stage === stage))
    if (stage === 'movement') {
      this.#host = random.pick(world.hosts)
      if (random.chance(0.4)) this.#user = random.pick(world.users)
    }
    return {
      rule,
      severity: rule.severity + 5 * random.below(2),
      host: this.#host,
      user: this.#user,
      remote: seenFromOutside(rule) ? this.#source : null,
      process: processFor(world, era, rule, random),
      blocked: random.chance(0.15),
      campaign: this.#number,
    }
  }
}
