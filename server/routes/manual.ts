/** The pages of the manual, which the build makes from the Markdown in server/docs (docs/build-docs.ts). */
import { readFile } from 'node:fs/promises'
import { replyError, replyHttpError } from '../http/error-reply.js'
import type { Exchange } from '../http/exchange.js'
import { keptAnswer } from '../http/large-answer.js'
import type { Route } from '../http/route.js'
import { pageHeaders } from './docs.js'

const INDEX = 'README'
const NAME = /^[a-z][a-z-]{0,63}$/

const loaded = new Map<string, Promise<Buffer | null>>()

/** The page, or null where there is none. Only pages that exist are remembered. */
function pageNamed(name: string): Promise<Buffer | null> {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const bytes = readFile(new URL(`../../server/docs/html/${name}.html`, import.meta.url)).then(
    keptAnswer,
    (error: NodeJS.ErrnoException) => {
      loaded.delete(name)
      if (error.code === 'ENOENT') return null
      throw error
    },
  )
  loaded.set(name, bytes)
  return bytes
}

function servePage(exchange: Exchange, name: string): void {
  exchange.hold()
  pageNamed(name).then(
    (bytes) => {
      if (bytes === null) replyHttpError(exchange, 404, 'not found')
      else exchange.reply('200 OK', 'text/html; charset=utf-8', bytes, pageHeaders)
    },
    (error: unknown) => replyError(exchange, error),
  )
}

const tag = 'Documentation'
const responses = { 200: { description: 'A page.', mediaType: 'text/html' } }

export const manualRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/docs',
    operationId: 'getManual',
    tag,
    summary: 'The manual: the list of its pages',
    scope: null,
    responses,
    serve: (exchange) => servePage(exchange, INDEX),
  },
  {
    method: 'GET',
    path: '/docs/{page}',
    operationId: 'getManualPage',
    tag,
    summary: 'A page of the manual',
    scope: null,
    responses,
    errors: [404],
    serve(exchange, params) {
      const name = params[0] as string
      if (NAME.test(name)) servePage(exchange, name)
      else replyHttpError(exchange, 404, 'not found')
    },
  },
]
