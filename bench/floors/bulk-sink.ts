/** A search engine that takes bulk requests and keeps only the ids of documents. `/figures` says how many arrived. */
import { createServer } from 'node:http'

const ids = new Set<string>()
let documents = 0

createServer((query, answer) => {
  const pieces: Buffer[] = []
  query
    .on('data', (piece: Buffer) => pieces.push(piece))
    .on('end', () => {
      answer.setHeader('content-type', 'application/json')
      if (query.url === '/figures') return void answer.end(JSON.stringify({ documents, different: ids.size }))
      const lines = Buffer.concat(pieces).toString('utf8').split('\n')
      // Actions and documents alternate.
      for (let at = 0; at + 1 < lines.length; at += 2) {
        ids.add(/"_id":"([^"]*)"/.exec(lines[at] as string)?.[1] ?? '')
        documents++
      }
      answer.end('{"errors":false}')
    })
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening'))
