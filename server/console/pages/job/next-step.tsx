/** What to do next about a job, as a sentence with a button. */
import type { ComponentChildren } from 'preact'
import { addresses } from '../../addresses.js'
import { api, may } from '../../state/api.js'
import { FIRST_VOTES, type ShownJob } from '../../state/jobs.js'
import { attempt, say } from '../../state/toasts.js'
import { count, t } from '../../texts.js'

export function NextStep({ of }: { readonly of: ShownJob }) {
  const { job_id: id, processed_documents_count: events, feedback_documents_count: votes } = of
  const train = async (): Promise<void> => {
    if (await attempt(() => api.trainManagedJob({ job_id: id }))) say(t('job.did.train'))
  }
  const open = (
    <a class="button primary" href={addresses.next(id)}>
      {t('step.open_next')}
    </a>
  )
  const shown = (text: string, action: ComponentChildren) => (
    <section class="panel row">
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
  return shown(t(of.model_state === 'ageing' ? 'step.ageing' : 'step.go_on'), open)
}
