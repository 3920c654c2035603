/** A job: what it does, how well, what to do next. */
import { Failed, Skeleton } from '../../parts/feedback.js'
import { Icon } from '../../parts/icon.js'
import { Label } from '../../parts/label.js'
import { Time } from '../../parts/time.js'
import { api, may } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { job as jobOfPage, loadJobs, type ShownJob } from '../../state/jobs.js'
import { attempt, say } from '../../state/toasts.js'
import { count, number, t } from '../../texts.js'
import NotFound from '../not-found.js'
import { Matrix, Reliability } from './charts.js'
import { heldOutOf, readFigures, type Figures } from './figures.js'
import { DecisionHistory } from './history.js'
import { Models } from './models.js'
import { NextStep } from './next-step.js'
import { Numbers } from './numbers.js'

function Warnings({ of }: { readonly of: ShownJob }) {
  if (of.warnings.length === 0) return null
  const mayMend = may('write:resources')
  return (
    <section class="panel">
      <h2 class="warn">{t('job.warnings')}</h2>
      <ul class="stack">
        {of.warnings.map(({ msg, action }) => (
          <li key={msg}>
            <p>{msg}</p>
            {mayMend ? <p class="dim">{action}</p> : null}
          </li>
        ))}
      </ul>
    </section>
  )
}

async function run(of: ShownJob, verb: 'start' | 'stop' | 'train'): Promise<void> {
  const place = { job_id: of.job_id }
  const isDone = await attempt(async () => {
    if (verb === 'start') await api.startManagedJob(place)
    else if (verb === 'stop') await api.stopManagedJob(place)
    else await api.trainManagedJob(place)
    await loadJobs()
  })
  if (!isDone) return
  const again = verb === 'stop' ? 'start' : 'stop'
  say(t(`job.did.${verb}`), verb === 'train' ? null : () => run(of, again))
}

function Actions({ of }: { readonly of: ShownJob }) {
  if (!may('execute:job_operations')) return null
  const isStarted = of.status === 'STARTED'
  return (
    <>
      <button type="button" onClick={() => void run(of, isStarted ? 'stop' : 'start')}>
        <Icon name={isStarted ? 'pause' : 'play'} /> {t(isStarted ? 'job.stop' : 'job.start')}
      </button>
      <button type="button" onClick={() => void run(of, 'train')}>
        <Icon name="brain" /> {t('job.train')}
      </button>
    </>
  )
}

function Settings({ of }: { readonly of: ShownJob }) {
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
          {of.retrain_msg || t('job.untrained')} <Time at={of.last_train_finished_timestamp} />
        </dd>
        <dt>{t('facts.model')}</dt>
        <dd>{of.model_msg}</dd>
        <dt>{t('jobs.head.latest')}</dt>
        <dd>
          <Time at={of.last_processed_timestamp} />
        </dd>
        <dt>{t('jobs.head.votes')}</dt>
        <dd>
          {number(of.feedback_documents_count)} · <Time at={of.last_feedback_timestamp} />
        </dd>
      </dl>
    </section>
  )
}

function Quality({ of, figures }: { readonly of: ShownJob; readonly figures: Figures }) {
  const heldOut = heldOutOf(figures)
  const isJob = figures.job.quality.new_buckets.events > 0 || heldOut === null
  const shown = isJob ? figures.job.quality.new_buckets : heldOut
  const matrix = isJob ? figures.job.confusion_matrix : (figures.model?.confusion_matrix ?? [])
  return (
    <>
      <section class="panel">
        <h2>{t(isJob ? 'job.matrix' : 'job.matrix_held_out')}</h2>
        <Matrix of={of} matrix={matrix} />
      </section>
      <section class="panel">
        <h2>{t('job.reliability')}</h2>
        <p class="dim">{count('job.reliability_text', shown.events)}</p>
        <Reliability of={of} quality={shown} />
      </section>
    </>
  )
}

function JobOf({ of }: { readonly of: ShownJob }) {
  const figures = useData(`figures ${of.job_id} ${of.last_train_finished_timestamp}`, (signal) =>
    readFigures(of.job_id, signal),
  )
  return (
    <div class="page">
      <header class="page-head">
        <h1 class="grow">{of.title}</h1>
        {of.status === 'STARTED' ? null : <span class="tag warn">{t('job.stopped')}</span>}
        <Actions of={of} />
      </header>
      <NextStep of={of} />
      <Numbers of={of} figures={figures.value} />
      <Warnings of={of} />
      {figures.error === null ? null : <Failed error={figures.error} retry={figures.reload} />}
      <div class="two">
        <div class="stack">
          {figures.value === null ? (
            figures.error === null ? (
              <Skeleton lines={5} />
            ) : null
          ) : (
            <Quality of={of} figures={figures.value} />
          )}
        </div>
        <div class="stack">
          <Settings of={of} />
        </div>
      </div>
      {may('read:event_query') ? <DecisionHistory of={of} /> : null}
      <Models of={of} />
    </div>
  )
}

export default function JobPage() {
  const of = jobOfPage.value
  return of === null ? <NotFound /> : <JobOf key={of.job_id} of={of} />
}
