/**
 * The jobs that the person may see, the one that the page is about, and the files on their way into one.
 *
 * 1. Before the tab is closed while events are sent, the browser asks.
 */
import { computed, signal } from '@preact/signals'
import type { Job } from '../../client/index.js'
import { api, may, session } from './api.js'
import { prefer, preferences } from './preferences.js'
import { onTold, tellTabs } from './tabs.js'

export interface LabelStyle {
  readonly name: string
  /** `label_0` and so on, or the label's own id. */
  readonly at: number
  /** As in CSS. */
  readonly color: string
}

/** A job as the list has it: with the colours of its labels. */
export interface ShownJob extends Job {
  readonly styles: readonly LabelStyle[]
  /** The same, in the order of their keys and buttons. */
  readonly onKeys: readonly LabelStyle[]
  /** Fields that people see beside an event when they answer; none: all. */
  readonly feedbackColumns: readonly string[]
}

const colors = ['#ED0A2C', '#1264FE', '#9A00FF'] as const
const CAUSE = 'Automated root cause analysis'

/** So many voted events make a first model worth while. */
export const FIRST_VOTES = 10

/** Null until they are loaded. */
export const jobs = signal<readonly ShownJob[] | null>(null)

interface Looks {
  readonly colors: ReadonlyMap<string, string>
  /** Names of labels, in the order of their keys. */
  readonly order: readonly string[]
  readonly feedbackColumns: readonly string[]
}

/** What jobs were given. They are read when there is a job that was not there before. */
let known: ReadonlyMap<number, Looks> = new Map()

interface Nested {
  readonly properties?: {
    readonly id?: number
    readonly feedback_columns?: readonly string[]
    readonly advanced_settings?: {
      readonly custom_labels?: readonly { name?: string; hex_color?: string; id?: string }[]
      readonly label_order?: readonly string[]
    }
  }
}

async function loadColors(): Promise<void> {
  const resources = await api.listResources({ resource_type: 'job' })
  known = new Map(
    resources.flatMap((resource) => {
      const { properties } = (Object.values(resource)[0] ?? {}) as Nested
      const { custom_labels: labels = [], label_order = [] } = properties?.advanced_settings ?? {}
      if (properties?.id === undefined) return []
      const colors = new Map(labels.map(({ name = '', hex_color = '' }) => [name, hex_color]))
      const order = label_order.map((wanted) => labels.find(({ id }) => id === wanted)?.name ?? '')
      return [[properties.id, { colors, order, feedbackColumns: properties.feedback_columns ?? [] }] as const]
    }),
  )
}

/** The colours are read again with the next jobs: somebody has changed them. */
export function reloadColors(): void {
  known = new Map()
}

function stylesOf(of: Job): LabelStyle[] {
  return of.labels.map((name, at) => {
    const given = known.get(of.job_id)?.colors.get(name) ?? ''
    return { name, at, color: /^#[0-9a-f]{6}$/i.test(given) ? given : (colors[at] ?? colors[0]) }
  })
}

function shownJob(of: Job): ShownJob {
  const styles = stylesOf(of)
  const { order = [], feedbackColumns = [] } = known.get(of.job_id) ?? {}
  const onKeys = order.flatMap((name) => styles.find((style) => style.name === name) ?? [])
  return { ...of, styles, onKeys: onKeys.length === styles.length ? onKeys : styles, feedbackColumns }
}

function shown(list: readonly Job[]): ShownJob[] {
  return list.map(shownJob).sort((a, b) => a.job_id - b.job_id)
}

/** The jobs, asked for while it is not known yet who asks. Null where they cannot be had so. */
export async function readFirstJobs(): Promise<readonly ShownJob[] | null> {
  try {
    const [list] = await Promise.all([api.listManagedJobs(), loadColors().catch(() => {})])
    return shown(list)
  } catch {
    return null
  }
}

export async function loadJobs(signal?: AbortSignal): Promise<void> {
  const mayStyle = may('read:resources')
  const first = mayStyle && jobs.peek() === null ? loadColors() : null
  const [list] = await Promise.all([api.listManagedJobs({}, { signal }), first])
  if (mayStyle && first === null && list.some(({ job_id: id }) => !known.has(id))) await loadColors()
  jobs.value = shown(list)
  tellTabs(TOLD, { user: session.peek()?.name, list })
}

const TOLD = 'jobs'
let toldMs = Number.NEGATIVE_INFINITY

onTold(TOLD, ({ user, list }: { user: string; list: readonly Job[] }) => {
  if (user !== session.peek()?.name || jobs.peek() === null) return
  toldMs = performance.now()
  jobs.value = shown(list)
})

/** True if another tab has read the jobs just now. */
export function wereToldWithin(ms: number): boolean {
  return performance.now() - toldMs < ms
}

/** The id in the address; null on pages of no job. */
export const jobIdInAddress = signal<number | null>(null)

/** The job of the page, else the latest that was looked at, else the first. Null: there is none. */
export const job = computed<ShownJob | null>(() => {
  const all = jobs.value ?? []
  const id = jobIdInAddress.value
  if (id !== null) return all.find(({ job_id }) => job_id === id) ?? null
  return all.find(({ job_id }) => job_id === preferences.value.jobId) ?? all[0] ?? null
})

export function lookAt(id: number | null): void {
  jobIdInAddress.value = id
  if (id !== null && preferences.peek().jobId !== id) prefer({ jobId: id })
}

export function styleOf(of: ShownJob | null, label: string): LabelStyle | null {
  return of?.styles.find(({ name }) => name === label) ?? null
}

export function hasClusters(of: ShownJob | null): boolean {
  return of?.category === CAUSE
}

export function hasBuckets(of: ShownJob | null): boolean {
  return of?.category === 'Decision intelligence'
}

// Events of a file on their way into a job: how far they are. pages/new-job/play.ts sends them.

/** Trained by the answers of the file: not to be, under way, done, or why not. */
export type Training = 'none' | 'running' | 'done' | { readonly problem: string }

export interface Playing {
  readonly jobId: number
  readonly total: number
  /** New events. */
  readonly taken: number
  /** Events that were there already, or took the place of one with their id. */
  readonly same: number
  readonly refused: number
  /** The first different reasons of refusals. */
  readonly reasons: readonly string[]
  /** Why it has stopped; null while it goes on, and at its end. */
  readonly problem: string | null
  readonly isOver: boolean
  /** Answers that were sent. */
  readonly answers: number
  readonly training: Training
  /** Sends the rest. */
  readonly goOn: () => void
}

export const playing = signal<ReadonlyMap<number, Playing>>(new Map())

/** What is not over. */
export const unfinished = computed(() => [...playing.value.values()].find(({ isOver }) => !isOver) ?? null)

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** Says how far the events of a job are. */
export function setPlaying(state: Playing): void {
  playing.value = new Map(playing.value).set(state.jobId, state)
  if (unfinished.value === null) removeEventListener('beforeunload', ask)
  else addEventListener('beforeunload', ask)
}
