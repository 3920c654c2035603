/**
 * A search engine that costs next to nothing: it answers with pages of documents from memory, cut out of one prepared
 * answer. With `floor` as the first argument it is the floor itself: it fetches and parses the same pages one after the
 * other and stores nothing.
 *
 * The documents' dates are one millisecond apart, so the position in a query names the first document of the page.
 */
import { createServer, request, Agent } from 'node:http'
import { AlertStream } from '../streams/alerts.js'

export const firstDateMs = 1_700_000_000_000

interface Argument {
  readonly port: number
  readonly count: number
  /** Documents a page. Only the floor chooses it; the service asks for pages of its own size. */
  readonly batch: number
}

const seed = 21

function serve({ port, count }: Argument): void {
  const stream = new AlertStream(seed, count)
  const ends = new Uint32Array(count + 1)
  const hits: Buffer[] = []
  for (let i = 0; i < count; i++) {
    const source = JSON.stringify({ '@timestamp': new Date(firstDateMs + i).toISOString(), ...stream.next().body })
    hits.push(
      Buffer.from(
        `{"_index":"alerts-1","_id":"d${i}","_score":null,"_seq_no":${i},"_source":${source},"sort":[${firstDateMs + i},${i}]},`,
      ),
    )
    ends[i + 1] = (ends[i] as number) + (hits[i] as Buffer).length
  }
  const all = Buffer.concat(hits)
  const head = Buffer.from(
    '{"took":1,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{"hits":[',
  )
  const tail = Buffer.from(']}}')
  createServer((query, answer) => {
    let text = ''
    query
      .setEncoding('utf8')
      .on('data', (piece: string) => (text += piece))
      .on('end', () => {
        const size = Number(/"size":(\d+)/.exec(text)?.[1])
        const after = /"gte":(\d+)/.exec(text)?.[1]
        const from = after === undefined ? 0 : Number(after) - 1 - firstDateMs
        const to = Math.min(count, from + size)
        // Without the comma after the last one.
        const page = all.subarray(ends[from], Math.max(ends[from] as number, (ends[to] as number) - 1))
        answer.writeHead(200, {
          'content-type': 'application/json',
          'content-length': head.length + page.length + tail.length,
        })
        answer.write(head)
        answer.write(page)
        answer.end(tail)
      })
  }).listen(port, '127.0.0.1', () => console.log(`listening, ${Math.round(all.length / count)} bytes a document`))
}

async function fetchPage(
  agent: Agent,
  port: number,
  body: string,
): Promise<{ hits: { hits: { sort: [number, number] }[] } }> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const pieces: Buffer[] = []
    const sent = request({ port, host: '127.0.0.1', agent, method: 'POST', path: '/alerts-*/_search' }, (answer) => {
      answer.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => resolve(Buffer.concat(pieces)))
    })
    sent.on('error', reject).end(body)
  })
  return JSON.parse(bytes.toString('utf8')) as { hits: { hits: { sort: [number, number] }[] } }
}

async function floor({ port, count, batch }: Argument): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const begun = performance.now()
  for (let from = 0; from < count; ) {
    const { hits } = await fetchPage(agent, port, `{"size":${batch},"gte":${firstDateMs + from + 1}}`)
    from += hits.hits.length
  }
  agent.destroy()
  console.log(JSON.stringify({ documents: count, seconds: (performance.now() - begun) / 1_000 }))
}

const [role, argument] = process.argv.slice(2) as [string, string]
if (role === 'floor') await floor(JSON.parse(argument) as Argument)
else serve(JSON.parse(argument) as Argument)
