/** The job is made: its events are played in, its key is shown, and Next waits. */
import { writeJson } from '../../../../engine/domain/event/json.js'
import { addresses } from '../../addresses.js'
import { Icon } from '../../parts/icon.js'
import { Warnings } from '../../parts/warnings.js'
import { jobs, type Playing, playing } from '../../state/jobs.js'
import { count, t } from '../../texts.js'
import type { ReadText, SampleEvent } from './read-events.js'
import type { Made as MadeJob } from './setup.js'

function curlOf({ jobId, key }: MadeJob, event: SampleEvent): string {
  const body = writeJson({ job_id: jobId, raw_body: event })
  const quoted = body.replaceAll("'", "'\\''")
  return `curl ${location.origin}/api/v1/events/ \\\n  -H 'X-Service-Api-Key: ${key}' \\\n  -d '${quoted}'`
}

/** What follows from what is there. */
function saying({ isOver, answers, training }: Playing): string {
  if (!isOver) return t('new_job.goes_on')
  if (answers === 0) return t('new_job.ten')
  if (training === 'running') return count('new_job.trains', answers)
  if (training === 'done') return count('new_job.trained', answers)
  return training === 'none'
    ? count('new_job.not_trained', answers, { why: t('next.first_others') })
    : count('new_job.not_trained', answers, { why: training.problem })
}

function Progress({ jobId }: { readonly jobId: number }) {
  const state = playing.value.get(jobId)
  if (state === undefined) return null
  const { total, taken, same, refused, reasons, problem, goOn, answers } = state
  const done = taken + same + refused
  return (
    <section class="panel stack">
      <label>
        {t('new_job.progress', { done, total })}
        <progress max={Math.max(1, total)} value={done} />
      </label>
      {same === 0 ? null : <p>{count('new_job.same', same)}</p>}
      {refused === 0 ? null : <p>{count('new_job.refused', refused, { why: reasons.join(' ') })}</p>}
      {problem === null ? null : (
        <div class="row">
          <p role="alert">{t('new_job.broken', { why: problem })}</p>
          <button type="button" onClick={goOn}>
            {t('new_job.go_on')}
          </button>
        </div>
      )}
      {taken + same === 0 ? null : (
        <div class="row">
          <a class="button primary" href={answers > 0 ? addresses.events(jobId) : addresses.next(jobId)}>
            <Icon name={answers > 0 ? 'list' : 'inbox'} />{' '}
            {t(answers > 0 ? 'new_job.open_events' : 'new_job.open_next')}
          </a>
          <span role="status">{saying(state)}</span>
        </div>
      )}
    </section>
  )
}

interface MadeProps {
  readonly of: MadeJob
  readonly first: SampleEvent
  /** Those of the file. */
  readonly warnings: ReadText['warnings']
}

export function Made({ of, first, warnings }: MadeProps) {
  const job = jobs.value?.find(({ job_id: id }) => id === of.jobId)
  // A warning of the file is one of the job when all events are there.
  const ofJob = (job?.warnings ?? []).filter(
    ({ type, count: seen }) => seen !== undefined && warnings.every((one) => one.type !== type),
  )
  return (
    <div class="page">
      <h1>{t(playing.value.get(of.jobId)?.isOver === true ? 'new_job.ready' : 'new_job.playing')}</h1>
      <Progress jobId={of.jobId} />
      <Warnings of={[...warnings, ...ofJob]} mayMend={true} />
      {of.key === null ? null : (
        <section class="panel stack">
          <h2>{t('new_job.send')}</h2>
          <p>{t('keys.once')}</p>
          <pre>{of.key}</pre>
          <pre class="wrap">{curlOf(of, first)}</pre>
        </section>
      )}
    </div>
  )
}
