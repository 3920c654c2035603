/** The first answers: who is signed in, and the jobs. They are requested at once, and the page changes once. */
import { batch } from '@preact/signals'
import { readSession, session } from './api.js'
import { jobs, readFirstJobs } from './jobs.js'
import { onTold, tellTabs } from './tabs.js'

/** @throws what keeps the session from being read. */
export async function begin(): Promise<void> {
  const list = readFirstJobs()
  const person = await readSession()
  const all = person === null ? null : await list
  batch(() => {
    if (all !== null) jobs.value = all
    session.value = person
  })
  if (person !== null) tellSignedIn()
}

const TOLD = 'signed in'

/** The cookie is that of all tabs: those that wait for a sign-in go on, each on its page. */
export function tellSignedIn(): void {
  tellTabs(TOLD, null)
}

onTold(TOLD, () => {
  if (session.peek() !== null) return
  // Without an answer the form stays.
  readSession().then(
    (person) => {
      if (session.peek() === null) session.value = person
    },
    () => {},
  )
})
