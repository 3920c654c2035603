/**
 * Indicators in memory, found by the observables that their patterns match.
 *
 * Owns: the known indicators, their versions and their validity. Leaves out: reading them (threat-feed.ts), patterns
 * (stix-pattern.ts).
 *
 * 1. The version with the latest modification time counts, in whatever order versions arrive. A revoked indicator
 *    matches nothing.
 * 2. An indicator is valid from valid_from until before valid_until.
 * 3. At most `indicatorsMax` are known. When the index is full, expired ones are removed; indicators without room are
 *    counted.
 */
import { cutText } from '../../domain/event/input/cut-text.js'
import { bitsOf, keyOf, type ObservableType } from '../enrichment/observable.js'
import { simplePattern, type SimplePattern } from './stix-pattern.js'

export interface Indicator {
  readonly id: string
  readonly name: string
  /** 0 to 100; null for unknown. */
  readonly confidence: number | null
  readonly types: readonly string[]
  readonly labels: readonly string[]
  /** `chain:phase`. */
  readonly phases: readonly string[]
}

interface Known extends Indicator {
  readonly modified: string
  /** Milliseconds since 1970; -Infinity and Infinity for no bound. */
  readonly fromMs: number
  readonly untilMs: number
  /** The index keys under which it is found. */
  readonly names: readonly string[]
}

export interface IndexCounts {
  readonly indicators: number
  /** Indicators with patterns that are not supported. */
  readonly unread: number
  /** Indicators without room in the index. */
  readonly leftOut: number
}

/** Shortest interval between two removals of expired indicators. */
const ROOM_MS = 60_000
const TEXTS_MAX = 16
const TEXT_CHARS_MAX = 256

export class IndicatorIndex {
  readonly #max: number
  readonly #byId = new Map<string, Known>()
  readonly #byName = new Map<string, Set<Known>>()
  /** Prefix lengths of the known networks, by bits of the address. */
  readonly #lengths: Readonly<Record<32 | 128, Set<number>>> = { 32: new Set(), 128: new Set() }
  readonly #unread = new Set<string>()
  #leftOut = 0
  #roomMadeMs = -Infinity

  constructor(indicatorsMax: number) {
    this.#max = indicatorsMax
  }

  get counts(): IndexCounts {
    return { indicators: this.#byId.size, unread: this.#unread.size, leftOut: this.#leftOut }
  }

  /** Adds a STIX object; objects that are not indicators are ignored. */
  take(object: unknown, nowMs: number): void {
    if (typeof object !== 'object' || object === null) return
    const stix = object as Record<string, unknown>
    const { id, type, pattern } = stix
    if (type !== 'indicator' || typeof id !== 'string' || id.length > TEXT_CHARS_MAX) return
    const modified = typeof stix.modified === 'string' ? stix.modified : ''
    const before = this.#byId.get(id)
    if (before !== undefined && before.modified >= modified) return
    if (before !== undefined) this.#drop(before)
    this.#unread.delete(id)
    const isStix = stix.pattern_type === undefined || stix.pattern_type === 'stix'
    // A revoked indicator is stored too: an earlier version may still arrive.
    const matched =
      stix.revoked === true
        ? { keys: [], networks: [] }
        : isStix && typeof pattern === 'string'
          ? simplePattern(pattern)
          : null
    if (matched === null) return this.#countUnread(id)
    if (this.#byId.size >= this.#max) this.#makeRoom(nowMs)
    if (this.#byId.size >= this.#max) return void this.#leftOut++
    this.#add(
      {
        id,
        modified,
        name: textIn(stix.name),
        confidence: typeof stix.confidence === 'number' ? stix.confidence : null,
        types: textsIn(stix.indicator_types),
        labels: textsIn(stix.labels),
        phases: phasesIn(stix.kill_chain_phases),
        fromMs: timeIn(stix.valid_from, -Infinity),
        untilMs: timeIn(stix.valid_until, Infinity),
        names: namesOf(matched),
      },
      matched,
    )
  }

  /** Valid indicators that match the observable. */
  find(type: ObservableType, value: string, nowMs: number): Indicator[] {
    return this.#namesFor(type, value)
      .flatMap((name) => [...(this.#byName.get(name) ?? [])])
      .filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs)
  }

  #namesFor(type: ObservableType, value: string): string[] {
    if (type !== 'ipv4-addr' && type !== 'ipv6-addr') return [keyOf(type, value)]
    const addressBits = type === 'ipv4-addr' ? 32 : 128
    const bits = bitsOf(value)
    return bits === null
      ? []
      : [...this.#lengths[addressBits]].map((length) =>
          networkName(addressBits, length, bits >> BigInt(addressBits - length)),
        )
  }

  #add(known: Known, { networks }: SimplePattern): void {
    this.#byId.set(known.id, known)
    for (const name of known.names) {
      const others = this.#byName.get(name)
      if (others === undefined) this.#byName.set(name, new Set([known]))
      else others.add(known)
    }
    for (const { addressBits, length } of networks) this.#lengths[addressBits].add(length)
  }

  #drop(known: Known): void {
    this.#byId.delete(known.id)
    for (const name of known.names) {
      const others = this.#byName.get(name)
      others?.delete(known)
      if (others?.size === 0) this.#byName.delete(name)
    }
  }

  #countUnread(id: string): void {
    if (this.#unread.size < this.#max) this.#unread.add(id)
  }

  /** Removes expired indicators. It visits all of them, so it runs at most once a minute. */
  #makeRoom(nowMs: number): void {
    if (nowMs - this.#roomMadeMs < ROOM_MS) return
    this.#roomMadeMs = nowMs
    for (const known of this.#byId.values()) if (known.untilMs <= nowMs || known.names.length === 0) this.#drop(known)
  }
}

function networkName(addressBits: 32 | 128, length: number, bits: bigint): string {
  return `${addressBits}/${length}|${bits.toString(36)}`
}

function namesOf({ keys, networks }: SimplePattern): string[] {
  return [
    ...new Set([...keys, ...networks.map(({ addressBits, length, bits }) => networkName(addressBits, length, bits))]),
  ]
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? cutText(value, TEXT_CHARS_MAX) : ''
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value)
    ? value
        .filter((one) => typeof one === 'string')
        .slice(0, TEXTS_MAX)
        .map(textIn)
    : []
}

function phasesIn(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return textsIn(
    value.map(
      (one: { kill_chain_name?: unknown; phase_name?: unknown } | null) =>
        `${textIn(one?.kill_chain_name)}:${textIn(one?.phase_name)}`,
    ),
  )
}

function timeIn(value: unknown, otherwise: number): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? otherwise : ms
}
