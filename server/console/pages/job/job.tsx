/** The overview of a job: what to do next, how well it decides, how that went over time. */
import { addresses } from '../../addresses.js'
import { EvidenceNote } from '../../parts/evidence.js'
import { Failed, Skeleton } from '../../parts/feedback.js'
import { JobFrame } from '../../parts/job-head.js'
import { Label } from '../../parts/label.js'
import { Time } from '../../parts/time.js'
import { Warnings } from '../../parts/warnings.js'
import { may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { job as jobOfPage, type ShownJob } from '../../state/jobs.js'
import { capitalized, number, t } from '../../texts.js'
import NotFound from '../not-found.js'
import { readFigures } from './figures.js'
import { JobHistory } from './history.js'
import { NextStep } from './next-step.js'
import { Numbers } from './numbers.js'
import { Quality } from './quality.js'

function About({ of }: { readonly of: ShownJob }) {
  return (
    <section class="panel">
      <h2>{t('job.about')}</h2>
      <dl class="facts">
        <dt>{t('jobs.head.category')}</dt>
        <dd>{of.category}</dd>
        <dt>{t('job.labels')}</dt>
        <dd class="row">
          {of.labels.map((label) => (
            <Label key={label} of={of} label={label} />
          ))}
        </dd>
        <dt>{t('job.points')}</dt>
        <dd class="mono">{of.features.join(', ') || '—'}</dd>
        <dt>{t('job.training')}</dt>
        <dd>
          {capitalized(of.retrain_msg) || t('job.untrained')} <Time at={of.last_train_finished_timestamp} />
        </dd>
        <dt>{t('facts.model')}</dt>
        <dd class={of.model_state === 'ageing' ? 'warn' : ''}>{capitalized(of.model_msg)}</dd>
        <dt>{t('jobs.head.latest')}</dt>
        <dd>
          <Time at={of.last_processed_timestamp} />
        </dd>
        <dt>{t('jobs.head.votes')}</dt>
        <dd>
          {number(of.feedback_documents_count)} · <Time at={of.last_feedback_timestamp} />
        </dd>
      </dl>
      {may('write:resources') ? (
        <p class="after">
          <a href={addresses.settings(of.job_id)}>{t('job.change')}</a>
        </p>
      ) : null}
    </section>
  )
}

function JobOf({ of }: { readonly of: ShownJob }) {
  const figures = useData(`figures ${of.job_id} ${of.last_train_finished_timestamp}`, (signal) =>
    readFigures(of.job_id, signal),
  )
  return (
    <JobFrame of={of}>
      <NextStep of={of} />
      <EvidenceNote of={of}>
        {may('read:event_query') ? (
          <a class="button" href={addresses.next(of.job_id)}>
            {t('step.open_next')}
          </a>
        ) : null}
      </EvidenceNote>
      <Numbers of={of} figures={figures.value} />
      <Warnings of={of.warnings} mayMend={may('write:resources')} />
      {may('read:event_query') ? <JobHistory of={of} /> : null}
      {figures.error === null ? null : <Failed error={figures.error} retry={figures.reload} />}
      {figures.value === null ? (
        figures.error === null ? (
          <Skeleton lines={5} />
        ) : null
      ) : (
        <Quality of={of} figures={figures.value} />
      )}
      <About of={of} />
    </JobFrame>
  )
}

export default function JobPage() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <JobOf key={of.job_id} of={of} />
}
