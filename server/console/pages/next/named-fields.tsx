/** The fields that a job names for people who vote (`feedback_columns`), as far as they are no decision points. */
import { valueAt } from '../../../../engine/domain/event/input/answers.js'
import type { QueriedEvent } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { isEmpty, OtherFields, type Fact } from './facts.js'

export function NamedFields({ of, event }: { readonly of: ShownJob; readonly event: QueriedEvent }) {
  const facts = of.feedbackColumns.flatMap((name): Fact[] => {
    const value = valueAt(event.raw_body, name)
    return Object.hasOwn(event.decision_points, name) || isEmpty(value) ? [] : [[name, value]]
  })
  return <OtherFields facts={facts} />
}
