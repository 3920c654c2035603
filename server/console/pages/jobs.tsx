/** All jobs that the person may see. */
import { addresses } from '../addresses.js'
import { Empty } from '../parts/feedback.js'
import { Icon } from '../parts/icon.js'
import { Time } from '../parts/time.js'
import { may } from '../state/api.js'
import { jobs, type ShownJob } from '../state/jobs.js'
import { count, number, t } from '../texts.js'

function Row({ of }: { readonly of: ShownJob }) {
  return (
    <tr>
      <td>
        <a href={addresses.job(of.job_id)}>{of.title}</a>
        {of.warnings.length === 0 ? null : (
          <div>
            <span class="tag warn">
              <Icon name="triangle-alert" /> {count('jobs.warnings', of.warnings.length)}
            </span>
          </div>
        )}
      </td>
      <td>{of.category}</td>
      <td>{t(of.status === 'STARTED' ? 'job.started' : 'job.stopped')}</td>
      <td class="number">{number(of.processed_documents_count)}</td>
      <td class="number">{number(of.feedback_documents_count)}</td>
      <td class="number">
        <Time at={of.last_processed_timestamp} />
      </td>
      <td class="number">
        {may('read:event_query') ? <a href={addresses.next(of.job_id)}>{t('place.next')}</a> : null}
      </td>
    </tr>
  )
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
      <div class="panel table-wrap">
        <table>
          <thead>
            <tr>
              <th>{t('jobs.head.job')}</th>
              <th>{t('jobs.head.category')}</th>
              <th>{t('jobs.head.status')}</th>
              <th class="number">{t('jobs.head.events')}</th>
              <th class="number">{t('jobs.head.votes')}</th>
              <th class="number">{t('jobs.head.latest')}</th>
              <th>
                <span class="hidden">{t('jobs.head.open')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map((of) => (
              <Row key={of.job_id} of={of} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
