/**
 * The first script of the page: it asks for what the address shows, while the program is loaded.
 *
 * 1. The page takes the answer by its key, or asks by itself. One that failed is as if it had not been asked.
 */
import { firstRequest, type FirstAnswer } from './first-requests.js'

const page = globalThis as { firstAnswer?: FirstAnswer | null }

async function ask(path: string, body: unknown): Promise<unknown> {
  const headers = { 'x-requested-with': 'console', ...(body === null ? {} : { 'content-type': 'application/json' }) }
  const sent = body === null ? {} : { method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(path, { headers, ...sent })
  if (!answer.ok) throw new Error(String(answer.status))
  return answer.json()
}

// The program was faster: it asks by itself.
if (!('firstAnswer' in page)) {
  const request = firstRequest(location)
  if (request !== null) {
    const answer = ask(request.path, request.body)
    answer.catch(() => {})
    page.firstAnswer = { key: request.key, answer }
  }
}
