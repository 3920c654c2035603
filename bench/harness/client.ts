/**
 * A client of the service's API, as any client would be: it speaks HTTP and knows nothing of the engine.
 *
 * It sets up jobs, plays a stream and reads the results. Load is made elsewhere (bench/load/).
 */
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Answer {
  readonly status: number
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown
  /** What was acknowledged lately may be missing in it (X-Lag-Ms of a cluster). */
  readonly isOld: boolean
}

/** An unexpected answer of the service. */
export class UnexpectedAnswer extends Error {
  readonly status: number

  constructor(method: string, path: string, status: number, text: string) {
    super(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`)
    this.status = status
  }
}

/** One line of the answer to `_bulk` or GET. */
export interface EventAnswer {
  readonly event_id: string
  readonly status: string
  readonly result: string
  readonly result_label: string
  readonly bucket_state: string
  readonly outlier: boolean
  readonly confidence_score: number
  /** Present only if the line was refused. */
  readonly status_code?: number
  readonly error?: string
}

export interface JobAnswer {
  readonly job_id: number
  readonly title: string
  readonly status: string
  readonly retrain_state: string
  readonly retrain_msg: string
  readonly processed_documents_count: number
  readonly feedback_documents_count: number
  readonly last_train_start_timestamp: string | null
  readonly last_train_finished_timestamp: string | null
}

/** Idle connections are closed before the service closes them, after ten seconds: a request could meet that. */
const idleMs = 4_000
const UNAVAILABLE = 503
/** An answer of a node that lags is asked for again: milliseconds between two tries, and how many. */
const [OLD_MS, OLD_TRIES] = [250, 60]

async function text(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

export class Client {
  readonly port: number
  readonly key: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32, timeout: idleMs })

  constructor(port: number, key: string) {
    this.port = port
    this.key = key
  }

  #open(method: string, path: string, headers: Record<string, string | number>): ClientRequest {
    return request({
      host: '127.0.0.1',
      port: this.port,
      agent: this.#agent,
      method,
      path,
      headers: { 'x-service-api-key': this.key, 'content-type': 'application/json', ...headers },
    })
  }

  /** Sends one request; any status is an answer. */
  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const outgoing = this.#open(method, path, payload === undefined ? {} : { 'content-length': payload.length })
    outgoing.end(payload)
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    const answer = await text(incoming)
    let parsed: unknown
    try {
      parsed = JSON.parse(answer)
    } catch {
      parsed = undefined
    }
    return { status: incoming.statusCode ?? 0, body: parsed, isOld: incoming.headers['x-lag-ms'] !== undefined }
  }

  /**
   * Sends one request and expects success; again, where its subject may only be too new. @throws UnexpectedAnswer for
   * any other status.
   */
  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    let answer = await this.send(method, path, body)
    for (let tries = 1; answer.isOld && answer.status === UNAVAILABLE && tries < OLD_TRIES; tries++) {
      await sleep(OLD_MS)
      answer = await this.send(method, path, body)
    }
    if (answer.status < 200 || answer.status > 299) {
      throw new UnexpectedAnswer(method, path, answer.status, JSON.stringify(answer.body) ?? '')
    }
    return answer.body
  }

  job(jobId: number): Promise<JobAnswer> {
    return this.ask('GET', `/api/v1/jobs/${jobId}`) as Promise<JobAnswer>
  }

  event(jobId: number, eventId: string): Promise<EventAnswer> {
    return this.ask('GET', `/api/v1/events/${jobId}/${encodeURIComponent(eventId)}`) as Promise<EventAnswer>
  }

  feedback(jobId: number, eventId: string, analyst: string, label: string): Promise<unknown> {
    const path = `/api/v1/events/${jobId}/${encodeURIComponent(eventId)}/feedback`
    return this.ask('PUT', path, { cortex_user: analyst, feedback: label })
  }

  /** Streams NDJSON lines (each with its line feed) to `_bulk`, and yields the answers in order as they arrive. */
  async bulk(lines: Iterable<string>, onAnswer: (answer: EventAnswer, index: number) => void): Promise<number> {
    const outgoing = this.#open('POST', '/api/v1/events/_bulk', { 'content-type': 'application/x-ndjson' })
    const responded = once(outgoing, 'response') as Promise<[IncomingMessage]>
    const reading = responded.then(async ([incoming]) => {
      if (incoming.statusCode !== 200 && incoming.statusCode !== 201) {
        throw new UnexpectedAnswer('POST', '/api/v1/events/_bulk', incoming.statusCode ?? 0, await text(incoming))
      }
      let count = 0
      let rest = ''
      incoming.setEncoding('utf8')
      for await (const piece of incoming) {
        const lines = (rest + (piece as string)).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) onAnswer(JSON.parse(line) as EventAnswer, count++)
      }
      if (rest !== '') onAnswer(JSON.parse(rest) as EventAnswer, count++)
      return count
    })
    // `reading` reports a refusal of the whole request; the writes that fail because of it do not.
    let broken = false
    reading.catch(() => (broken = true))
    let pending = ''
    for (const line of lines) {
      pending += line
      if (pending.length < 65_536) continue
      if (broken) break
      if (!outgoing.write(pending)) await Promise.race([once(outgoing, 'drain'), reading.catch(() => undefined)])
      pending = ''
    }
    outgoing.end(pending)
    return reading
  }

  close(): void {
    this.#agent.destroy()
  }
}
