/** What to do next about a job, as a sentence with a button. */
import type { ComponentChildren } from 'preact'
import { addresses } from '../../addresses.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { FIRST_VOTES, type ShownJob } from '../../state/jobs.js'
import { attempt, say } from '../../state/toasts.js'
import { count, number, t } from '../../texts.js'

/** So many answers a person gives in one go. */
const ANSWERS = 20
const WEEK_DAYS = 7

/** What the next answers would settle: how many answers, and events a week. */
interface Worth {
  readonly answers: number
  readonly events: number
}

async function readWorth(of: ShownJob, signal: AbortSignal): Promise<Worth> {
  const { next } = await api.getNextLabels({ job_id: of.job_id, count: ANSWERS }, { signal })
  const events = next.reduce((sum, { promise }) => sum + (promise === null ? 0 : promise.events / promise.days), 0)
  return { answers: next.length, events: Math.round(events * WEEK_DAYS) }
}

/** The sentence for a job that has learned: what more answers are worth. */
function goOnText(of: ShownJob, worth: Worth | null): string {
  if (of.model_state === 'ageing') return t('step.ageing')
  if (worth === null || worth.answers === 0 || worth.events === 0) return t('step.go_on')
  return count('step.worth', worth.answers, { events: number(worth.events) })
}

export function NextStep({ of }: { readonly of: ShownJob }) {
  const { job_id: id, processed_documents_count: events, feedback_documents_count: votes } = of
  const isWorth = may('read:event_query') && events > 0
  const worth = useData(isWorth ? `worth ${id} ${of.last_train_finished_timestamp}` : null, (signal) =>
    readWorth(of, signal),
  )
  const train = async (): Promise<void> => {
    if (await attempt(() => api.trainManagedJob({ job_id: id }))) say(t('job.did.train'))
  }
  const open = may('read:event_query') ? (
    <a class="button primary" href={addresses.next(id)}>
      {t('step.open_next')}
    </a>
  ) : null
  const shown = (text: string, action: ComponentChildren) => (
    <section class="panel row step">
      <p class="grow">{text}</p>
      {action}
    </section>
  )
  if (of.retrain_state === 'training' || of.retrain_state === 'queued') return shown(t('step.training'), null)
  if (events === 0)
    return shown(
      t('step.send'),
      <a class="button" href={addresses.manual}>
        {t('bar.manual')}
      </a>,
    )
  const isUntrained = of.last_train_finished_timestamp === null
  if (isUntrained && votes < FIRST_VOTES) return shown(count('step.first_votes', FIRST_VOTES - votes), open)
  const isBehind = isUntrained || (of.last_feedback_timestamp ?? '') > (of.last_train_finished_timestamp ?? '')
  if (isBehind && may('execute:job_operations'))
    return shown(
      t(isUntrained ? 'step.first_training' : 'step.train_again'),
      <button type="button" class="primary" onClick={() => void train()}>
        {t('job.train')}
      </button>,
    )
  return shown(goOnText(of, worth.value), open)
}
