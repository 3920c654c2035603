/**
 * The interactive documentation and the document that it shows.
 *
 * Everything is served from here, nothing from elsewhere; the content security policy holds the page to that.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Exchange } from '../http/exchange.js'
import { replyError, replyHttpError } from '../http/error-reply.js'
import { keptAnswer } from '../http/large-answer.js'
import type { Route } from '../http/route.js'
import type { Headers } from '../http/send.js'

const assetsDir = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const assetTypes: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

const cached: Headers = [
  ['Cache-Control', 'public, max-age=86400'],
  ['X-Content-Type-Options', 'nosniff'],
]

/** Of pages that load everything from here, and that nobody may put into a frame. */
export const pageHeaders: Headers = [
  // Swagger UI sets style attributes; scripts come from files of ours only.
  [
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
      "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
]

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Decision service API</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>
`

const startScript = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  validatorUrl: null,
})
`

const loaded = new Map<string, Promise<Buffer>>()

function asset(name: string): Promise<Buffer> {
  let bytes = loaded.get(name)
  if (bytes === undefined) loaded.set(name, (bytes = readFile(join(assetsDir, name)).then(keptAnswer)))
  return bytes
}

function serveAsset(exchange: Exchange, name: string): void {
  if (name === 'start.js') return exchange.reply('200 OK', 'text/javascript; charset=utf-8', startScript, cached)
  const type = Object.hasOwn(assetTypes, name) ? assetTypes[name] : undefined
  if (type === undefined) return replyHttpError(exchange, 404, 'not found')
  exchange.hold()
  asset(name).then(
    (bytes) => exchange.reply('200 OK', type, bytes, cached),
    (error: unknown) => {
      loaded.delete(name)
      replyError(exchange, error)
    },
  )
}

const tag = 'Documentation'

function pageAt(path: string, operationId: string, summary: string): Route {
  return {
    method: 'GET',
    path,
    operationId,
    tag,
    summary,
    scope: null,
    responses: { 200: { description: 'A page.', mediaType: 'text/html' } },
    serve: (exchange) => exchange.reply('200 OK', 'text/html; charset=utf-8', page, pageHeaders),
  }
}

export const docRoutes: readonly Route[] = [
  pageAt('/docs/exposer', 'getDocumentation', 'Interactive documentation'),
  pageAt('/docs', 'getDocumentationInShort', 'The same, where it was before'),
  {
    method: 'GET',
    path: '/docs/assets/{file}',
    operationId: 'getDocumentationAsset',
    tag,
    summary: 'A file of the interactive documentation',
    scope: null,
    responses: { 200: { description: 'The file.', mediaType: '*/*' } },
    errors: [404],
    serve: (exchange, params) => serveAsset(exchange, params[0]!),
  },
]
