/** The places of the console: for the bar, the palette and the keys. */
import { addresses } from '../addresses.js'
import { may, session } from './api.js'
import { hasBuckets, hasClusters, type ShownJob } from './jobs.js'
import type { Command } from './keys.js'
import type { TextKey } from '../texts.js'

export interface Place {
  readonly command: Command
  readonly text: TextKey
  readonly icon: string
  readonly href: string
}

/** Pages of a job. */
export function placesOfJob(job: ShownJob): Place[] {
  const id = job.job_id
  return [
    ...(may('read:event_query')
      ? ([
          { command: 'go.next', text: 'place.next', icon: 'inbox', href: addresses.next(id) },
          { command: 'go.events', text: 'place.events', icon: 'list', href: addresses.events(id) },
        ] as const)
      : []),
    ...(hasBuckets(job)
      ? ([{ command: 'go.buckets', text: 'place.buckets', icon: 'boxes', href: addresses.buckets(id) }] as const)
      : []),
    ...(hasClusters(job)
      ? ([{ command: 'go.clusters', text: 'place.clusters', icon: 'network', href: addresses.clusters(id) }] as const)
      : []),
    { command: 'go.job', text: 'place.job', icon: 'gauge', href: addresses.job(id) },
  ]
}

type Guarded = Place & { readonly scope: string }

function guardedPlaces(): Guarded[] {
  return [
    { command: 'go.jobs', text: 'place.jobs', icon: 'list', href: addresses.jobs, scope: 'public' },
    {
      command: 'go.integrations',
      text: 'place.integrations',
      icon: 'plug',
      href: addresses.integrations,
      scope: 'read:resources',
    },
    {
      command: 'go.operations',
      text: 'place.operations',
      icon: 'activity',
      href: addresses.operations,
      scope: 'read:platform_monitoring',
    },
    {
      command: 'go.audit',
      text: 'place.audit',
      icon: 'scroll-text',
      href: addresses.audit,
      scope: 'read:platform_monitoring',
    },
    { command: 'go.people', text: 'place.people', icon: 'users', href: addresses.people, scope: 'read:users' },
    { command: 'go.keys', text: 'place.keys', icon: 'key-round', href: addresses.keys, scope: 'read:resources' },
  ]
}

/** Pages of the whole service, as far as the person may see them. */
export function placesOfService(): Place[] {
  return guardedPlaces().filter(({ scope }) => may(scope))
}

/** Pages of a job that need more than the job itself, by the end of their address. */
const ofJob: readonly (readonly [RegExp, string])[] = [
  [/^\/jobs\/(feedback-flow\/\d+|\d+\/events)(\/|$)/, 'read:event_query'],
  [/^\/jobs\/\d+\/(models|replays|safety)(\/|$)/, 'read:job_metrics'],
  [/^\/jobs\/\d+\/(pipeline|settings)(\/|$)/, 'read:resources'],
]

/** The scope that the person lacks for the page of an address; null: none. Without a session the page stays. */
export function lackingScope(path: string): string | null {
  if (session.value == null) return null
  const place = guardedPlaces().find(({ href }) => path === href || path.startsWith(`${href}/`))
  const scope = ofJob.find(([form]) => form.test(path))?.[1] ?? place?.scope ?? 'public'
  return may(scope) ? null : scope
}

/** A page about a job itself. */
export interface JobPage {
  readonly text: TextKey
  readonly href: string
}

/** The pages about a job itself, as far as the person may see them. */
export function pagesAboutJob(of: ShownJob): JobPage[] {
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
