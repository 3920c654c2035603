/** The head of a job's pages: its name, what can be done with it, and the way to the other pages. */
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'
import { addresses } from '../addresses.js'
import { api, may } from '../state/api.js'
import { loadJobs, type ShownJob } from '../state/jobs.js'
import { pagesAboutJob } from '../state/places.js'
import { attempt, say } from '../state/toasts.js'
import { t } from '../texts.js'
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

interface HeadProps {
  readonly of: ShownJob
  /** What the page shows, for the title that screen readers read. */
  readonly children?: ComponentChildren
}

export function JobHead({ of }: HeadProps) {
  const { path } = useLocation()
  const tabs = useRef<HTMLElement>(null)
  // On a phone the tab of the page may be beyond the edge.
  useEffect(() => {
    const { current: nav } = tabs
    const tab = nav?.querySelector<HTMLElement>('[aria-current]')
    if (nav != null && tab != null) nav.scrollLeft = tab.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2
  }, [path])
  // The job has a short address as well.
  const isShown = (href: string): boolean =>
    path === href || path.startsWith(`${href}/`) || (path === `/jobs/${of.job_id}` && href === addresses.job(of.job_id))
  return (
    <header class="job-head">
      <div class="page-head">
        <h1 class="grow">{of.title}</h1>
        {of.status === 'STARTED' ? null : <span class="tag warn">{t('job.stopped')}</span>}
        <Actions of={of} />
      </div>
      <nav ref={tabs} class="tabs" aria-label={t('job.pages')}>
        {pagesAboutJob(of).map(({ text, href }) => (
          <a key={href} href={href} aria-current={isShown(href) ? 'page' : undefined}>
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
