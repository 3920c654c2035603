/** The first answers: who is signed in, and the jobs. They are requested at once, and the page changes once. */
import { batch } from '@preact/signals'
import { readSession, session } from './api.js'
import { jobs, readFirstJobs } from './jobs.js'

/** @throws what keeps the session from being read. */
export async function begin(): Promise<void> {
  const list = readFirstJobs()
  const person = await readSession()
  const all = person === null ? null : await list
  batch(() => {
    if (all !== null) jobs.value = all
    session.value = person
  })
}
