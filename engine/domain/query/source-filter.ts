/** Parts of a document: what `_source` asks for, by dot paths with `*` in them. */
import { limits } from '../../limits.js'
import type { Asked } from './json-reader.js'
import type { Effort } from './text-budget.js'
import { patternTest } from './text-match.js'

type Json = Record<string, unknown>
type PathTest = (path: string) => boolean

export interface SourceFilter {
  /** False: no document at all. */
  readonly wanted: boolean
  of(document: Json): Json
}

const whole: SourceFilter = { wanted: true, of: (document) => document }

/** `_source`: a boolean, a pattern, a list of them, or `{includes, excludes}`. */
export function parseSource(asked: Asked | undefined, effort: Effort): SourceFilter {
  if (asked === undefined) return whole
  if (typeof asked.value === 'boolean') return asked.value ? whole : { wanted: false, of: () => ({}) }
  if (!asked.isObject) return filterOf(patterns(asked, effort), [])
  const { includes, include, excludes, exclude } = asked.object(['includes', 'include', 'excludes', 'exclude'])
  return filterOf(patterns(includes ?? include, effort), patterns(excludes ?? exclude, effort))
}

function patterns(asked: Asked | undefined, effort: Effort): PathTest[] {
  return asked === undefined
    ? []
    : asked.list(limits.queryFieldsMax).map((pattern) => patternTest(pattern.name(), false, effort))
}

function filterOf(includes: readonly PathTest[], excludes: readonly PathTest[]): SourceFilter {
  const included: PathTest = (path) => includes.length === 0 || includes.some((test) => test(path))
  const excluded: PathTest = (path) => excludes.some((test) => test(path))
  return {
    wanted: true,
    of: (document) => (part(document, '', includes.length === 0, included, excluded) ?? {}) as Json,
  }
}

/** What is left of a value; undefined for nothing. `taken`: something above it is asked for by name. */
function part(value: unknown, path: string, taken: boolean, included: PathTest, excluded: PathTest): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => part(item, path, taken, included, excluded)).filter((item) => item !== undefined)
    return items.length > 0 || (taken && value.length === 0) ? items : undefined
  }
  if (typeof value !== 'object' || value === null) return taken ? value : undefined
  const left: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value)) {
    const innerPath = path === '' ? name : `${path}.${name}`
    if (excluded(innerPath)) continue
    const kept = part(inner, innerPath, taken || included(innerPath), included, excluded)
    if (kept !== undefined) left.push([name, kept])
  }
  return left.length > 0 || taken ? Object.fromEntries(left) : undefined
}
