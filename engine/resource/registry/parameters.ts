/**
 * Parameters of integrations: how values are specified, checked, stored, shown and published.
 *
 * Owns: the rules for a list of parameters. Leaves out: the parameters of each kind (registry-entries.ts), the use of
 * the values (integration/).
 *
 * 1. Unknown parameters are not stored, so no stray secret reaches the disk.
 * 2. A secret is stored sealed and never shown. Absent, it stays as it is, so a shown resource can be posted back.
 * 3. A secret is sent only to the address that it was given for. When the address changes, it must be given again.
 *    Otherwise everybody who may edit an integration could read its secrets.
 */
import type { Issue } from '../../errors.js'
import { limits } from '../../limits.js'
import { isSealed, type Sealer } from '../access/sealing.js'

export interface ParameterSpec {
  readonly name: string
  /** `api_key`: a reference to a resource of that type, a string on the wire. `strings`: a list of strings. */
  readonly type: 'string' | 'number' | 'boolean' | 'strings' | 'api_key'
  readonly required: boolean
  readonly description: string
  /** The allowed values of a string. */
  readonly allowed?: readonly string[]
  /** The lowest allowed number. */
  readonly minimum?: number
  /** The highest allowed number. */
  readonly maximum?: number
  /** Returns why a string is invalid, as words that follow the parameter's name; null where it is valid. */
  readonly check?: (text: string) => string | null
  /** The value in a new integration or step that gives none. */
  readonly default?: string | number | boolean | readonly string[]
  /** A string that is sealed at rest and never shown. */
  readonly secret?: true
  /** A secret that never leaves the process, such as a private key for signatures. */
  readonly signs?: true
  /** A list of labels of the step's job, separated by commas (label-parameters.ts). */
  readonly labels?: true
  /** The address that secrets are sent to. */
  readonly address?: true
}

export type ParameterValues = Readonly<Record<string, unknown>>

/** Why a value is invalid, or null. */
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

/** The names of secrets that were sealed with another key. */
export function lostSecrets(values: ParameterValues, sealer: Sealer): string[] {
  return Object.entries(values)
    .filter(([, value]) => isSealed(value) && sealer.open(value) === null)
    .map(([name]) => name)
}

/**
 * The values, with their secrets opened. @throws Error where a secret is lost, even an optional one: what needs a
 * signature or a password must not be sent without it.
 */
export function openParameters(values: ParameterValues, sealer: Sealer): Record<string, string | number | boolean> {
  const opened: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(values)) {
    const open = isSealed(value) ? sealer.open(value) : (value ?? undefined)
    if (open === null)
      throw new Error(`its parameter ${name} has to be given again: it was not sealed with the key in sealing.key`)
    if (typeof open === 'string' || typeof open === 'number' || typeof open === 'boolean') opened[name] = open
  }
  return opened
}

function misfitOfList(value: unknown): string | null {
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) return 'must be a list of strings'
  if (value.length > limits.decisionPointsMax) return `must have at most ${limits.decisionPointsMax} items`
  return value.some((item: string) => item.length > limits.decisionPointCharsMax)
    ? `must have items of at most ${limits.decisionPointCharsMax} characters`
    : null
}

/** The stored form of a secret. An equal secret keeps its bytes. */
function sealedOver(value: string, before: unknown, sealer: Sealer): unknown {
  return isSealed(before) && sealer.open(before) === value ? before : sealer.seal(value)
}

/** Values to read, and how. */
export interface ParameterReading {
  readonly specs: readonly ParameterSpec[]
  readonly given: ParameterValues
  /** The stored values; null for a new integration or step. */
  readonly before: ParameterValues | null
  readonly sealer: Sealer
  readonly report: (issue: Issue) => void
}

/** The address that changes, if one does. */
function movedAddress({ specs, given, before }: ParameterReading): ParameterSpec | undefined {
  if (before === null) return undefined
  return specs.find(
    ({ address, name }) => address === true && Object.hasOwn(given, name) && given[name] !== before[name],
  )
}

/**
 * Reads the parameters in `specs` from `given`, over the stored values. Reports missing and invalid ones. Defaults and
 * required parameters count for a new integration or step only: a stored one may have lost a key that was deleted.
 */
export function readParameters(reading: ParameterReading): Record<string, unknown> {
  const { specs, given, before, sealer, report } = reading
  const values: Record<string, unknown> = {}
  const moved = movedAddress(reading)
  const keep = (spec: ParameterSpec, kept: unknown): void => {
    const { name } = spec
    if (moved !== undefined && isSealed(kept) && spec.signs !== true) {
      const reason = 'a secret is sent only to the address it was given for'
      const msg = `must be given again when ${moved.name} changes: ${reason}`
      report({ loc: [name], msg, type: 'missing' })
    } else if (kept !== undefined) values[name] = kept
    else if (spec.required && before === null) report({ loc: [name], msg: 'is required', type: 'missing' })
  }
  for (const spec of specs) {
    const kept = before === null ? spec.default : before[spec.name]
    if (!Object.hasOwn(given, spec.name)) {
      keep(spec, kept)
      continue
    }
    const value = given[spec.name]
    const reason = misfit(spec, value)
    if (reason !== null) report({ loc: [spec.name], msg: reason, type: 'invalid_type' })
    else values[spec.name] = spec.secret === true ? sealedOver(value as string, kept, sealer) : value
  }
  return values
}

/** The values without secrets. */
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

/** The JSON Schema (draft 2020-12) of an object with these parameters. */
export function parametersSchema(specs: readonly ParameterSpec[], description: string): Record<string, unknown> {
  return {
    type: 'object',
    description,
    required: specs.filter((spec) => spec.required).map((spec) => spec.name),
    properties: Object.fromEntries(specs.map((spec) => [spec.name, parameterSchema(spec)])),
  }
}
