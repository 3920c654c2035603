/** What the event says: its decision points, then its other fields, folded. */
import { latePart } from '../../parts/late.js'
import type { QueriedEvent } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { Facts, isEmpty, OtherFields, type Fact } from './facts.js'

const POINTS_SHOWN = 6
/** An event may have thousands of fields: these are enough to answer by. */
const OTHERS_MAX = 200

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

/** The fields that the job names. Few jobs do, and reading paths takes the service's own rules of them. */
const NamedFields = latePart(async () => (await import('../late.js')).NamedFields)

export function Fields({ of, event }: { readonly of: ShownJob; readonly event: QueriedEvent }) {
  const points = Object.entries(event.decision_points)
  const names = new Set(points.map(([name]) => name))
  return (
    <>
      <Facts facts={points.filter(([, value]) => value != null)} shown={POINTS_SHOWN} />
      {of.feedbackColumns.length > 0 ? (
        <NamedFields of={of} event={event} />
      ) : (
        <OtherFields facts={leavesOf(event.raw_body, names)} />
      )}
    </>
  )
}
