/** What the event says: its decision points, then its other fields, folded. */
import { signal, useSignal } from '@preact/signals'
import { cutText } from '../../../../engine/domain/event/input/cut-text.js'
import { part } from '../../parts/late.js'
import { valueText, type QueriedEvent } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { count, t } from '../../texts.js'

const POINTS_SHOWN = 6
const OTHERS_SHOWN = 10
/** An event may have thousands of fields: these are enough to answer by. */
const OTHERS_MAX = 200
const CHARS_SHOWN = 300

/** Reads the value of a path (S30). It is loaded for the first job that names columns, and few do. */
const reader = signal<((body: unknown, path: string) => unknown) | null>(null)
let isBegun = false

function readerOfPaths(): typeof reader.value {
  if (!isBegun) {
    isBegun = true
    void part(() => import('../../../../engine/domain/event/input/answers.js')).then(
      ({ valueAt }) => (reader.value = valueAt),
      () => (isBegun = false),
    )
  }
  return reader.value
}

export type Fact = readonly [name: string, value: unknown]

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === ''
}

/** The values of a body by their paths, as far as they are no decision points. Lists of values are one value. */
function leavesOf(body: unknown, points: ReadonlySet<string>): Fact[] {
  const found: Fact[] = []
  const visit = (value: unknown, path: string): void => {
    if (found.length >= OTHERS_MAX || isEmpty(value) || points.has(path)) return
    const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object')
    if (typeof value !== 'object' || isList) found.push([path, value])
    else if (Array.isArray(value)) for (const item of value) visit(item, path)
    else
      for (const [name, inner] of Object.entries(value as object)) visit(inner, path === '' ? name : `${path}.${name}`)
  }
  visit(body, '')
  return found
}

/** The fields beside the decision points: those that the job names (`feedback_columns`), else all. */
function otherFacts(event: QueriedEvent, columns: readonly string[]): Fact[] {
  const points = new Set(Object.keys(event.decision_points))
  const { raw_body: body } = event
  if (columns.length === 0) return leavesOf(body, points)
  const valueAt = readerOfPaths()
  return columns.flatMap((name) => {
    const value = valueAt?.(body, name)
    return points.has(name) || isEmpty(value) ? [] : [[name, value] as const]
  })
}

function Facts({ facts, shown }: { readonly facts: readonly Fact[]; readonly shown: number }) {
  const isOpen = useSignal(false)
  return (
    <dl class="facts">
      {(isOpen.value ? facts : facts.slice(0, shown)).map(([name, value], at) => (
        <>
          <dt key={`${name} ${at}`} class="mono">
            {name}
          </dt>
          <dd class="mono bidi">{cutText(valueText(value), CHARS_SHOWN)}</dd>
        </>
      ))}
      {facts.length > shown ? (
        <dd>
          <button type="button" class="plain" onClick={() => (isOpen.value = !isOpen.value)}>
            {isOpen.value ? t('less') : count('more', facts.length - shown)}
          </button>
        </dd>
      ) : null}
    </dl>
  )
}

export function Fields({ of, event }: { readonly of: ShownJob; readonly event: QueriedEvent }) {
  const points = Object.entries(event.decision_points).filter(([, value]) => value != null)
  const others = otherFacts(event, of.feedbackColumns)
  return (
    <>
      <Facts facts={points} shown={POINTS_SHOWN} />
      {others.length === 0 ? null : (
        <section>
          <h2 class="small">{t('next.others')}</h2>
          <Facts facts={others} shown={OTHERS_SHOWN} />
        </section>
      )}
    </>
  )
}
