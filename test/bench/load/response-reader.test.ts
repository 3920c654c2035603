import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResponseReader } from '../../../bench/load/response-reader.js'

interface Seen {
  readonly status: number
  readonly body: string
}

function read(wire: string, pieceBytes: number): Seen[] {
  const seen: Seen[] = []
  let status = 0
  let pieces: Buffer[] = []
  const reader = new ResponseReader({
    start: (code) => {
      status = code
      pieces = []
    },
    body: (piece) => pieces.push(Buffer.from(piece)),
    end: () => seen.push({ status, body: Buffer.concat(pieces).toString('utf8') }),
  })
  const bytes = Buffer.from(wire)
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.feed(bytes.subarray(at, at + pieceBytes))
  return seen
}

const wire = [
  'HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n',
  'HTTP/1.1 503 Busy\r\ncontent-length:3\r\n\r\nno\n',
].join('')

const expected: Seen[] = [
  { status: 201, body: 'hello' },
  { status: 204, body: '' },
  { status: 200, body: '' },
  { status: 200, body: 'wiki0123456789' },
  { status: 503, body: 'no\n' },
]

test('responses are read wherever the bytes are cut', () => {
  for (const bytes of [1, 2, 3, 7, 16, 61, 10_000]) assert.deepEqual(read(wire, bytes), expected, `${bytes}`)
})

test('what is not HTTP is an error', () => {
  assert.throws(() => read('SSH-2.0 hello\r\n\r\n', 99), /no HTTP head/)
  assert.throws(() => read('HTTP/1.1 200 OK\r\n\r\n', 99), /without a length/)
  assert.throws(() => read('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 99), /no chunk size/)
})
