/** The head of a job's pages: its name, what can be done with it, and the way to the other pages. */
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { addresses } from '../addresses.js'
import { api, may } from '../state/api.js'
import { hasClusters, loadJobs, type ShownJob } from '../state/jobs.js'
import { attempt, say } from '../state/toasts.js'
import { t, type TextKey } from '../texts.js'
import { Icon } from './icon.js'

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

/** The pages of a job, as far as the person may see them. */
function pagesOf(of: ShownJob): { readonly text: TextKey; readonly href: string }[] {
  const id = of.job_id
  const hasFigures = may('read:job_metrics')
  return [
    { text: 'job.page.overview', href: addresses.job(id) },
    ...(hasFigures ? ([{ text: 'job.page.models', href: addresses.models(id) }] as const) : []),
    ...(hasFigures && !hasClusters(of) ? ([{ text: 'job.page.replays', href: addresses.replays(id) }] as const) : []),
    ...(hasFigures ? ([{ text: 'job.page.safety', href: addresses.safety(id) }] as const) : []),
    ...(may('read:resources')
      ? ([
          { text: 'job.page.pipeline', href: addresses.pipeline(id) },
          { text: 'job.page.settings', href: addresses.settings(id) },
        ] as const)
      : []),
  ]
}

interface HeadProps {
  readonly of: ShownJob
  /** What the page shows, for the title that screen readers read. */
  readonly children?: ComponentChildren
}

export function JobHead({ of }: HeadProps) {
  const { path } = useLocation()
  return (
    <header class="job-head">
      <div class="page-head">
        <h1 class="grow">{of.title}</h1>
        {of.status === 'STARTED' ? null : <span class="tag warn">{t('job.stopped')}</span>}
        <Actions of={of} />
      </div>
      <nav class="tabs" aria-label={t('job.pages')}>
        {pagesOf(of).map(({ text, href }) => (
          <a key={href} href={href} aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}>
            {t(text)}
          </a>
        ))}
      </nav>
    </header>
  )
}

/** A page of a job, under its head. */
export function JobFrame({ of, children }: HeadProps) {
  return (
    <div class="page">
      <JobHead of={of} />
      {children}
    </div>
  )
}
