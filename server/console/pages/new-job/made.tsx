/** The job is made: its events are played in, its key is shown, and Next waits. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { addresses } from '../../addresses.js'
import { Icon } from '../../parts/icon.js'
import { messageOf } from '../../state/api.js'
import { loadJobs } from '../../state/jobs.js'
import { fail } from '../../state/toasts.js'
import { number, t } from '../../texts.js'
import type { SampleEvent } from './read-events.js'
import { playIn, type Made as MadeJob } from './setup.js'

function curlOf({ jobId, key }: MadeJob, event: SampleEvent): string {
  const body = JSON.stringify({ job_id: jobId, raw_body: event })
  return `curl ${location.origin}/api/v1/events/ \\\n  -H 'X-Service-Api-Key: ${key}' \\\n  -d '${body.replaceAll("'", "'\\''")}'`
}

export function Made({ of, events }: { readonly of: MadeJob; readonly events: readonly SampleEvent[] }) {
  const done = useSignal(0)
  const refused = useSignal(0)
  const problem = useSignal<string | null>(null)
  const isOver = useSignal(false)
  useEffect(() => {
    const stop = new AbortController()
    playIn(of.jobId, events, stop.signal, (taken, bad) => {
      done.value = taken + bad
      refused.value = bad
    })
      .then(() => (isOver.value = true))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) problem.value = messageOf(error)
      })
      .finally(() => loadJobs().catch(fail))
    return () => stop.abort()
  }, [of.jobId])
  const total = events.length
  return (
    <div class="page">
      <h1>{t(isOver.value ? 'new_job.ready' : 'new_job.playing')}</h1>
      <section class="panel stack">
        <label>
          {t('new_job.progress', { done: done.value, total })}
          <progress max={total} value={done.value} />
        </label>
        {refused.value === 0 ? null : <p>{t('new_job.refused', { n: number(refused.value) })}</p>}
        {problem.value === null ? null : <p role="alert">{t('new_job.broken', { why: problem.value })}</p>}
        {isOver.value || problem.value !== null ? (
          <div class="row">
            <a class="button primary" href={addresses.next(of.jobId)}>
              <Icon name="inbox" /> {t('new_job.open_next')}
            </a>
            <span>{t('new_job.ten')}</span>
          </div>
        ) : null}
      </section>
      {of.key === null ? null : (
        <section class="panel stack">
          <h2>{t('new_job.send')}</h2>
          <p>{t('keys.once')}</p>
          <pre>{of.key}</pre>
          <pre class="wrap">{curlOf(of, events[0] ?? {})}</pre>
        </section>
      )}
    </div>
  )
}
