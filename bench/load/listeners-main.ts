/**
 * Listeners of the stream of decisions, in a process of their own. They read and drop what they get; a few of them read
 * nothing. It takes one JSON argument, prints a line when all are connected, and one with what they got at the end of
 * its input.
 */
import { connect } from 'node:net'

interface Argument {
  readonly port: number
  readonly key: string
  readonly jobId: number
  readonly listeners: number
  readonly stalled: number
}

const { port, key, jobId, listeners, stalled } = JSON.parse(process.argv[2] ?? '') as Argument
const head =
  `GET /api/v2/events/stream?job_id=${jobId} HTTP/1.1\r\nHost: 127.0.0.1\r\n` + `X-Service-Api-Key: ${key}\r\n\r\n`
const needle = Buffer.from('event: decision')
let [connected, bytes, messages, closed] = [0, 0, 0, 0]

for (let n = 0; n < listeners; n++) {
  const socket = connect({ host: '127.0.0.1', port })
  let isConnected = false
  socket.write(head)
  socket.on('data', (piece: Buffer) => {
    if (!isConnected && ++connected === listeners) console.log('connected')
    isConnected = true
    bytes += piece.length
    // Counting for all of them would cost as much as the service spends.
    if (n === 0) for (let at = piece.indexOf(needle); at >= 0; at = piece.indexOf(needle, at + 1)) messages++
    if (n >= listeners - stalled) socket.pause()
  })
  socket.on('close', () => closed++)
  socket.on('error', () => {})
}

process.stdin.on('end', () => {
  console.log(JSON.stringify({ bytes, messages, closed }))
  process.exit(0)
})
process.stdin.resume()
