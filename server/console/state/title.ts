/** The title of the page in tabs, history and bookmarks: what is shown, and of which job. */
import { effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../texts.js'
import { session } from './api.js'
import { job, jobIdInAddress } from './jobs.js'
import { pagesAboutJob, placesOfJob, placesOfService } from './places.js'

/** The path of the address. */
export const shownPath = signal('')
/** What the page is about, where it says so itself: the title of an event. */
const subject = signal('')
/** Questions that wait on the page. */
const waits = signal('')

function placeOf(path: string): string {
  const { value: of } = job
  const places = [...(of === null ? [] : [...placesOfJob(of), ...pagesAboutJob(of)]), ...placesOfService()]
  const found = places.filter(({ href }) => path === href || path.startsWith(`${href}/`))
  const [best] = found.sort((a, b) => b.href.length - a.href.length)
  return best === undefined ? '' : t(best.text)
}

effect(() => {
  const of = jobIdInAddress.value === null ? null : job.value
  const parts =
    session.value == null ? [t('sign_in.title')] : [subject.value || placeOf(shownPath.value), of?.title ?? '']
  const named = parts.filter((part) => part !== '')
  document.title = `${waits.value}${[...named, ...(of === null ? [t('sign_in.product')] : [])].join(' · ')}`
})

/** The page is about this. */
export function useSubject(title: string): void {
  useEffect(() => {
    subject.value = title
    return () => void (subject.value = '')
  }, [title])
}

/** So many questions wait on the page. */
export function useWaits(n: number, isMore: boolean): void {
  useEffect(() => {
    waits.value = n === 0 ? '' : `(${n}${isMore ? '+' : ''}) `
    return () => void (waits.value = '')
  }, [n, isMore])
}
