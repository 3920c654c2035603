/** All jobs that the person may see. */
import type { ComponentChildren } from 'preact'
import { addresses } from '../addresses.js'
import { Empty } from '../parts/feedback.js'
import { Icon } from '../parts/icon.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/time.js'
import { may } from '../state/api.js'
import { jobs, type ShownJob } from '../state/jobs.js'
import { count, number, t } from '../texts.js'

/** The cells of a job's row. */
function cellsOf(of: ShownJob): ComponentChildren[] {
  return [
    <div key="j">
      <a href={addresses.job(of.job_id)}>{of.title}</a>
      {of.warnings.length === 0 ? null : (
        <div>
          <span class="tag warn">
            <Icon name="triangle-alert" /> {count('jobs.warnings', of.warnings.length)}
          </span>
        </div>
      )}
    </div>,
    of.category,
    t(of.status === 'STARTED' ? 'job.started' : 'job.stopped'),
    number(of.processed_documents_count),
    number(of.feedback_documents_count),
    <Time key="t" at={of.last_processed_timestamp} />,
    may('read:event_query') ? (
      <a key="n" href={addresses.next(of.job_id)}>
        {t('place.next')}
      </a>
    ) : null,
  ]
}

export default function Jobs() {
  const all = jobs.value ?? []
  const mayMake = may('write:resources', 'write:events')
  const make = (
    <a class="button primary" href={addresses.newJob}>
      <Icon name="plus" /> {t('place.new_job')}
    </a>
  )
  if (all.length === 0)
    return (
      <Empty isPage title={t('jobs.none')} text={t(mayMake ? 'jobs.none_make' : 'jobs.none_ask')} icon="inbox">
        {mayMake ? make : null}
      </Empty>
    )
  return (
    <div class="page">
      <div class="page-head">
        <h1 class="grow">{t('place.jobs')}</h1>
        {mayMake ? make : null}
      </div>
      <section class="panel">
        <Table
          columns={[
            { text: t('jobs.head.job') },
            { text: t('jobs.head.category') },
            { text: t('jobs.head.status') },
            { text: t('jobs.head.events'), isNumber: true },
            { text: t('jobs.head.votes'), isNumber: true },
            { text: t('jobs.head.latest'), isNumber: true },
            { text: t('jobs.head.open'), isNumber: true },
          ]}
          rows={all.map((of) => ({ key: String(of.job_id), cells: cellsOf(of) }))}
        />
      </section>
    </div>
  )
}
