/** A small client: JSON in, JSON out, with the key header; and a raw socket for tests that must misbehave. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; undefined where it is not JSON. */
  // Tests read answers of every shape; with unknown every access would need a cast.
  readonly body: any
}

export interface RequestOptions {
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** null sends no key. */
  readonly key?: string | null
}

/** Shared by all clients, so that connections are reused. */
const agent = new Agent({ keepAlive: true })

/** One request and its whole answer. `fetch` would cost three times as much processor time. */
function exchange(
  method: string,
  url: URL,
  bytes: string | Uint8Array | null,
  headers: Readonly<Record<string, string>>,
): Promise<Omit<Answer, 'body'>> {
  return new Promise((resolve, reject) => {
    const length = bytes === null ? {} : { 'content-length': Buffer.byteLength(bytes) }
    const query = request(url, { agent, method, headers: { ...length, ...headers } }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', reject)
      response.on('end', () => {
        const answered = new Headers()
        for (let at = 0; at < response.rawHeaders.length; at += 2)
          answered.append(response.rawHeaders[at]!, response.rawHeaders[at + 1]!)
        resolve({ status: response.statusCode!, headers: answered, text: Buffer.concat(pieces).toString() })
      })
    })
    query.on('error', reject)
    query.end(bytes)
  })
}

export class Client {
  readonly baseUrl: string
  readonly key: string

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl
    this.key = key
  }

  /** The same service with another key. */
  withKey(key: string): Client {
    return new Client(this.baseUrl, key)
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { body, headers = {}, key = this.key } = options
    const bytes =
      body === undefined ? null : typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    const {
      status,
      headers: answered,
      text,
    } = await exchange(method, new URL(this.baseUrl + path), bytes, {
      ...(key === null ? {} : { 'x-service-api-key': key }),
      ...headers,
    })
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      parsed = undefined
    }
    return { status, headers: answered, text, body: parsed }
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('GET', path, options)
  }

  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer> {
    return this.request('POST', path, { ...options, body })
  }

  put(path: string, body?: unknown, options?: RequestOptions): Promise<Answer> {
    return this.request('PUT', path, { ...options, body })
  }

  delete(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('DELETE', path, options)
  }

  /** Sends lines to the NDJSON stream and returns its result lines. */
  async bulk(lines: string | Uint8Array, options?: RequestOptions): Promise<any[]> {
    const answer = await this.post('/api/v1/events/_bulk', lines, options)
    assert.equal(answer.status, 200, answer.text)
    return answer.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
}

export interface JobSetup {
  readonly jobId: number
  /** The input key bound to the job. */
  readonly key: string
}

let made = 0

/** An External REST API integration, `input`, and its key as resources to set up. */
export function inputResources(name: string) {
  return {
    key: { type: 'api_key', properties: { name } },
    input: {
      type: 'integration',
      properties: {
        title: `Input ${name}`,
        integration_type: 'External REST API',
        parameters: { api_key: `{{api_keys(name='${name}')}}`, data_type: 'alerts' },
      },
    },
  }
}

/** Makes a job with an External REST API input and a key of its own. */
/** For tests that count what was decided as it came: the first training decides nothing that was stored before it. */
export const decidesAsItComes = { advanced_settings: { decide_stored_events: false } }

export async function makeJob(
  client: Client,
  properties: Readonly<Record<string, unknown>> = {},
): Promise<JobSetup & { readonly title: string }> {
  const name = `test ${++made}`
  const title = (properties.title as string | undefined) ?? `Job ${name}`
  const answer = await client.post('/api/v2/resources', {
    resources: {
      ...inputResources(name),
      job: {
        type: 'job',
        properties: {
          category: 'Decision intelligence',
          decision_points: ['rule', 'source.ip'],
          pipeline_integrations: [{ resource: 'input', integration_type: 'input', enabled: true }],
          ...properties,
          title,
        },
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  const created = answer.body.created as { type: string; internal_id: number; value?: string }[]
  return {
    jobId: created.find((each) => each.type === 'job')!.internal_id,
    key: created.find((each) => each.type === 'api_key')!.value!,
    title,
  }
}

/** Repeats until the result holds. Fails after a minute, which is no measure of speed. */
export async function eventually<T>(ask: () => Promise<T>, holds: (value: T) => boolean, limitMs = 60_000): Promise<T> {
  const end = performance.now() + limitMs
  for (;;) {
    const value = await ask()
    if (holds(value)) return value
    if (performance.now() > end) assert.fail(`it did not come true: ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A raw connection. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => {})
  return socket
}
