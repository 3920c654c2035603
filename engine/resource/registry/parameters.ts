/**
 * Parameters of integrations: what one is, how given values are checked, kept, shown and published.
 *
 * Owns: the rules of a list of parameters. Leaves out: which kind has which (registry-entries.ts), whom they are given to.
 *
 * 1. What a list does not name is not stored: an unknown parameter is left out, and no stray secret reaches the disk.
 * 2. A secret is stored sealed and never shown. Absent it stays as it was, so what is shown can be posted back.
 * 3. A secret that is sent goes to no other place than it was given for: where an address changes it has to be given again. Who may
 *    edit an integration could else read the secrets that others gave it.
 */
import type { Issue } from '../../errors.js'
import { limits } from '../../limits.js'
import { isSealed, type Sealer } from '../access/sealing.js'

export interface ParameterSpec {
  readonly name: string
  /** `api_key` is a reference to a resource of that type, and a string on the wire; `strings` a list of texts. */
  readonly type: 'string' | 'number' | 'boolean' | 'strings' | 'api_key'
  readonly required: boolean
  readonly description: string
  /** The values a string may have. */
  readonly allowed?: readonly string[]
  /** The lowest number. */
  readonly minimum?: number
  /** The highest number. */
  readonly maximum?: number
  /** Says why a string does not fit, in words that go on from the parameter's name; null where it fits. */
  readonly check?: (text: string) => string | null
  /** What a new integration or step takes where nothing is given. */
  readonly default?: string | number | boolean | readonly string[]
  /** A string that is sealed at rest and never given back. */
  readonly secret?: true
  /** A secret that never leaves the process: what something is signed with, a private key. */
  readonly signs?: true
  /** Names labels of the step's job, with commas between (label-parameters.ts). */
  readonly labels?: true
  /** Names where secrets are sent. */
  readonly address?: true
}

export type ParameterValues = Readonly<Record<string, unknown>>

/** Why a value does not fit its parameter, or null. */
function misfit(spec: ParameterSpec, value: unknown): string | null {
  if (spec.type === 'strings') return misfitOfList(value)
  const type = spec.type === 'api_key' ? 'string' : spec.type
  if (typeof value !== type || (typeof value === 'number' && !Number.isFinite(value))) return `must be a ${type}`
  if (typeof value === 'string' && value.length > limits.textCharsMax) {
    return `must have at most ${limits.textCharsMax} characters`
  }
  if (spec.allowed !== undefined && !spec.allowed.includes(value as string)) {
    return `must be one of ${spec.allowed.join(', ')}`
  }
  if (spec.minimum !== undefined && (value as number) < spec.minimum) return `must be at least ${spec.minimum}`
  if (spec.maximum !== undefined && (value as number) > spec.maximum) return `must be at most ${spec.maximum}`
  return spec.check === undefined ? null : spec.check(value as string)
}

/** Names of secrets that were sealed with another key. */
export function lostSecrets(values: ParameterValues, sealer: Sealer): string[] {
  return Object.entries(values)
    .filter(([, value]) => isSealed(value) && sealer.open(value) === null)
    .map(([name]) => name)
}

/**
 * The values with secrets opened.
 * @throws Error where one is lost, also one that need not be given: what was to be signed, or sent with a password, is not sent without.
 */
export function openParameters(values: ParameterValues, sealer: Sealer): Record<string, string | number | boolean> {
  const opened: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(values)) {
    const open = isSealed(value) ? sealer.open(value) : (value ?? undefined)
    if (open === null)
      throw new Error(`its parameter ${name} has to be given again: it was sealed with another key than sealing.key`)
    if (typeof open === 'string' || typeof open === 'number' || typeof open === 'boolean') opened[name] = open
  }
  return opened
}

function misfitOfList(value: unknown): string | null {
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) return 'must be a list of strings'
  if (value.length > limits.decisionPointsMax) return `must have at most ${limits.decisionPointsMax} items`
  return value.some((item: string) => item.length > limits.decisionPointCharsMax)
    ? `an item has at most ${limits.decisionPointCharsMax} characters`
    : null
}

/** The stored form of a secret; one that is what it was stays as it was, byte for byte. */
function sealedOver(value: string, before: unknown, sealer: Sealer): unknown {
  return isSealed(before) && sealer.open(before) === value ? before : sealer.seal(value)
}

/**
 * Takes from `given` what the specs name, over what `before` had; tells of what is missing or does not fit. `before` is
 * null for what is new: only then defaults are taken and required parameters missed, since what is stored was whole or
 * lost a parameter with what it named.
 */
export function readParameters(
  specs: readonly ParameterSpec[],
  given: ParameterValues,
  before: ParameterValues | null,
  sealer: Sealer,
  report: (issue: Issue) => void,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const moved =
    before === null
      ? undefined
      : specs.find(
          ({ address, name }) => address === true && Object.hasOwn(given, name) && given[name] !== before[name],
        )
  for (const spec of specs) {
    const kept = before === null ? spec.default : before[spec.name]
    if (!Object.hasOwn(given, spec.name)) {
      if (moved !== undefined && isSealed(kept) && spec.signs !== true) {
        report({
          loc: [spec.name],
          msg: `must be given again where ${moved.name} changes: what was given for one place is sent to no other`,
          type: 'missing',
        })
      } else if (kept !== undefined) values[spec.name] = kept
      else if (spec.required && before === null) report({ loc: [spec.name], msg: 'is required', type: 'missing' })
      continue
    }
    const value = given[spec.name]
    const reason = misfit(spec, value)
    if (reason !== null) report({ loc: [spec.name], msg: reason, type: 'invalid_type' })
    else values[spec.name] = spec.secret === true ? sealedOver(value as string, kept, sealer) : value
  }
  return values
}

/** The values without what is secret. */
export function withoutSecrets(values: ParameterValues): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isSealed(value)))
}

function parameterSchema(spec: ParameterSpec): Record<string, unknown> {
  return {
    ...(spec.type === 'strings'
      ? { type: 'array', items: { type: 'string' } }
      : { type: spec.type === 'api_key' ? 'string' : spec.type }),
    description: spec.description,
    ...(spec.allowed === undefined ? {} : { enum: spec.allowed }),
    ...(spec.minimum === undefined ? {} : { minimum: spec.minimum }),
    ...(spec.maximum === undefined ? {} : { maximum: spec.maximum }),
    ...(spec.default === undefined ? {} : { default: spec.default }),
    ...(spec.secret === true ? { writeOnly: true, format: 'password' } : {}),
  }
}

/** The JSON Schema (draft 2020-12) of an object that has these parameters. */
export function parametersSchema(specs: readonly ParameterSpec[], description: string): Record<string, unknown> {
  return {
    type: 'object',
    description,
    required: specs.filter((spec) => spec.required).map((spec) => spec.name),
    properties: Object.fromEntries(specs.map((spec) => [spec.name, parameterSchema(spec)])),
  }
}
