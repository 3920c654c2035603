/** The parts of a document that `_source` names, by dot paths with `*`. */
import { limits } from '../../limits.js'
import type { JsonReader } from './json-reader.js'
import type { TextBudget } from './text-budget.js'
import { patternTest } from './text-match.js'
import { isJsonObject } from '../event/json.js'

type Json = Record<string, unknown>
type PathTest = (path: string) => boolean

export interface SourceFilter {
  /** False if no document is wanted. */
  readonly wanted: boolean
  of(document: Json): Json
}

const whole: SourceFilter = { wanted: true, of: (document) => document }

/** `_source`: a boolean, a pattern, a list of them, or `{includes, excludes}`. */
export function parseSource(json: JsonReader | undefined, textBudget: TextBudget): SourceFilter {
  if (json === undefined) return whole
  if (typeof json.value === 'boolean') return json.value ? whole : { wanted: false, of: () => ({}) }
  if (!json.isObject) return filterOf(patterns(json, textBudget), [])
  const { includes, include, excludes, exclude } = json.object(['includes', 'include', 'excludes', 'exclude'])
  return filterOf(patterns(includes ?? include, textBudget), patterns(excludes ?? exclude, textBudget))
}

function patterns(json: JsonReader | undefined, textBudget: TextBudget): PathTest[] {
  return json === undefined
    ? []
    : json.list(limits.queryFieldsMax).map((pattern) => patternTest(pattern.name(), false, textBudget))
}

function filterOf(includes: readonly PathTest[], excludes: readonly PathTest[]): SourceFilter {
  const tests: PathTests = {
    included: (path) => includes.length === 0 || includes.some((test) => test(path)),
    excluded: (path) => excludes.some((test) => test(path)),
  }
  return { wanted: true, of: (document) => (part(document, '', includes.length === 0, tests) ?? {}) as Json }
}

interface PathTests {
  readonly included: PathTest
  readonly excluded: PathTest
}

/** The wanted part of a value, or undefined. `taken`: a path above it is included. */
function part(value: unknown, path: string, taken: boolean, tests: PathTests): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => part(item, path, taken, tests)).filter((item) => item !== undefined)
    return items.length > 0 || (taken && value.length === 0) ? items : undefined
  }
  if (!isJsonObject(value)) return taken ? value : undefined
  const left: [string, unknown][] = []
  for (const [name, inner] of Object.entries(value)) {
    const innerPath = path === '' ? name : `${path}.${name}`
    if (tests.excluded(innerPath)) continue
    const kept = part(inner, innerPath, taken || tests.included(innerPath), tests)
    if (kept !== undefined) left.push([name, kept])
  }
  return left.length > 0 || taken ? Object.fromEntries(left) : undefined
}
