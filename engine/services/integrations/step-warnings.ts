/**
 * What a job is warned of where its steps do not get through: a counterpart that says that nothing will, and events
 * that could not be delivered.
 *
 * 1. A sentence never holds the answer of a counterpart, since sentences are logged. The answer stands beside it.
 */
import type { StepTrouble } from '../../api/integrations-service.js'
import type { Warning } from '../../api/warning.js'
import { isoMicros } from '../../clock.js'
import type { JobSettings } from '../../domain/job/job.js'

/** What waits while a step does not get through. */
const waiting: Readonly<Record<string, string>> = {
  input: 'Nothing is read, and nothing is skipped: it goes on where it was.',
  enrichment: 'Events are decided without it.',
}
const NOTHING_LOST = 'What is to be sent waits, and nothing is lost.'

const MEND =
  'Read the answer of the other side, and change what it names, there or in the integration. A changed integration ' +
  'tries again at once; else `POST /api/v2/integrations/failed_deliveries/retry` does.'

/** The status in an answer; the rest of it is not for logs. */
function statusIn(reason: string): string {
  const [status] = /\bHTTP \d{3}\b/.exec(reason) ?? []
  return status === undefined ? '' : ` (${status})`
}

function numbered(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function messageOf({ kind, integrationTitle, role, reason, nextTryMicros, count }: StepTrouble): string {
  const step = `The step \`${role}\` of \`${integrationTitle}\``
  const rest = waiting[role] ?? NOTHING_LOST
  const refuses = `the other side says that nothing will get through${statusIn(reason)}`
  switch (kind) {
    case 'stopped': {
      const next = nextTryMicros === null ? 'It does not retry.' : `It retries at ${isoMicros(nextTryMicros)}.`
      return `${step} has stopped: ${refuses}. ${rest} ${next}`
    }
    case 'refused':
      return `${step} does not get through: ${refuses}. ${rest} If that stays so for a minute, the step stops.`
    case 'invalid':
      return `${step} cannot be opened with its settings. ${rest}`
    case 'dead':
      return role === 'input'
        ? `${numbered(count, 'document')} of \`${integrationTitle}\` could not become events.`
        : `${numbered(count, 'event')} could not be delivered to \`${integrationTitle}\` (step \`${role}\`).`
  }
}

function actionOf({ kind }: StepTrouble): string {
  if (kind === 'dead')
    return (
      'Look at them in `GET /api/v2/integrations/failed_deliveries`, mend what their reasons name, and retry or ' +
      'discard them.'
    )
  return kind === 'invalid' ? 'Correct the integration or the step; the reason names what is wrong.' : MEND
}

/** The warnings of a job that follow from the troubles of its steps. */
export function stepWarnings({ pipeline }: Pick<JobSettings, 'pipeline'>, troubles: readonly StepTrouble[]): Warning[] {
  return troubles.map((trouble) => {
    const { kind, integrationId, role, reason: example, sinceMicros: firstMicros } = trouble
    const at = pipeline.findIndex((step) => step.integrationId === integrationId && step.role === role)
    return {
      type: kind === 'dead' ? 'dead_letters' : 'step_stopped',
      place: ['pipeline_integrations', ...(at < 0 ? [] : [at])],
      message: messageOf(trouble),
      action: actionOf(trouble),
      ...(firstMicros === null || kind === 'dead'
        ? {}
        : { seen: { count: 1, example, firstMicros, lastMicros: firstMicros } }),
    }
  })
}
