/**
 * The files of the console, which the build makes (deploy/build-console.mjs): one page, and what it loads.
 *
 * 1. The name of a file that a page loads has a hash of its content: a browser keeps it for good. The page itself is
 *    asked for again each time, and has an ETag.
 * 2. Files are read once, and kept with their compressed bytes.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { replyError, replyHttpError } from '../http/error-reply.js'
import type { Exchange } from '../http/exchange.js'
import type { App } from '../app.js'
import { keptAnswer } from '../http/large-answer.js'
import { statusLine } from '../http/reply.js'
import type { Headers } from '../http/send.js'

const folder = new URL('../../console/', import.meta.url)
const NAME = /^[\w-]+(\.[\w-]+)*\.(js|css|svg)$/
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  html: 'text/html; charset=utf-8',
}
const compress = promisify(gzip)

/** Nothing from elsewhere, no code in pages, no page of ours in a frame, and no text of an event as HTML. */
const pageHeaders: Headers = [
  [
    'Content-Security-Policy',
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; " +
      "require-trusted-types-for 'script'; trusted-types 'none'",
  ],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', 'no-cache'],
]
const fileHeaders: Headers = [['Cache-Control', 'public, max-age=31536000, immutable']]
const allHeaders: Headers = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Vary', 'Accept-Encoding'],
]

interface File {
  readonly plain: Uint8Array
  readonly zipped: Uint8Array
  readonly tag: string
}

const loaded = new Map<string, Promise<File | null>>()

async function read(name: string): Promise<File | null> {
  try {
    const bytes = await readFile(new URL(name, folder))
    const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
    return { plain: keptAnswer(bytes), zipped: keptAnswer(await compress(bytes, { level: 9 })), tag }
  } catch (error) {
    loaded.delete(name)
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function fileNamed(name: string): Promise<File | null> {
  let file = loaded.get(name)
  if (file === undefined) loaded.set(name, (file = read(name)))
  return file
}

interface Page {
  readonly name: string
  readonly headers: Headers
  /** Default: 200. */
  readonly status?: number
}

function send(exchange: Exchange, { name, headers, status = 200 }: Page): void {
  const zips = /\bgzip\b/i.test(exchange.header('accept-encoding'))
  const known = exchange.header('if-none-match')
  const type = types[name.slice(name.lastIndexOf('.') + 1)] as string
  exchange.hold()
  fileNamed(name).then(
    (file) => {
      if (file === null) return replyHttpError(exchange, 404, 'not found')
      const tag = `"${file.tag}${zips ? '-z' : ''}"`
      const all: Headers = [...headers, ...allHeaders, ['ETag', tag]]
      if (status === 200 && known.includes(tag)) return exchange.reply('304 Not Modified', type, '', all)
      const line = statusLine(status)
      if (!zips) return exchange.reply(line, type, file.plain, all)
      exchange.reply(line, type, file.zipped, [...all, ['Content-Encoding', 'gzip']])
    },
    (error: unknown) => replyError(exchange, error),
  )
}

/** True where a person goes to an address with a browser, and the service has pages. */
export function wantsPage(exchange: Exchange, app: App): boolean {
  return app.sessions !== null && exchange.header('accept').includes('text/html')
}

/** Answers with the page of the console, which finds out by its address what to show. */
export function servePage(exchange: Exchange, status = 200): void {
  send(exchange, { name: 'index.html', headers: pageHeaders, status })
}

/** Answers with a file that the page loads. */
export function serveFile(exchange: Exchange, name: string): void {
  if (NAME.test(name)) send(exchange, { name, headers: fileHeaders })
  else replyHttpError(exchange, 404, 'not found')
}
