/**
 * The interactive documentation of the API, and the files that it and the manual (manual.ts) load.
 *
 * Everything is served from here, nothing from elsewhere; the content security policy holds the page to that.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Exchange } from '../http/exchange.js'
import { replyError, replyHttpError } from '../http/error-reply.js'
import { keptAnswer } from '../http/large-answer.js'
import { json } from '../http/reply.js'
import type { Route } from '../http/route.js'
import type { Headers } from '../http/send.js'

const manual = fileURLToPath(new URL('../../server/docs/', import.meta.url))
/** Files of swagger-ui-dist, which the build copies. */
const swagger = fileURLToPath(new URL('../../assets/swagger/', import.meta.url))

interface Asset {
  readonly type: string
  readonly file: string
}

const css = 'text/css; charset=utf-8'
const javascript = 'text/javascript; charset=utf-8'

const assets: Readonly<Record<string, Asset>> = {
  'swagger-ui.css': { type: css, file: join(swagger, 'swagger-ui.css') },
  'swagger-ui-bundle.js': { type: javascript, file: join(swagger, 'swagger-ui-bundle.js') },
  'favicon-32x32.png': { type: 'image/png', file: join(swagger, 'favicon-32x32.png') },
  'manual.css': { type: css, file: join(manual, 'html/manual.css') },
  'headings.json': { type: json, file: join(manual, 'html/headings.json') },
  'search.js': { type: javascript, file: join(manual, 'search.js') },
}

/** Pictures of the console. */
const PICTURE = /^[\w-]+\.png$/

function assetOf(name: string): Asset | undefined {
  if (Object.hasOwn(assets, name)) return assets[name]
  return PICTURE.test(name) ? { type: 'image/png', file: join(manual, 'html/screens', name) } : undefined
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

function bytesOf(file: string): Promise<Buffer> {
  let bytes = loaded.get(file)
  if (bytes === undefined) loaded.set(file, (bytes = readFile(file).then(keptAnswer)))
  return bytes
}

function serveAsset(exchange: Exchange, name: string): void {
  if (name === 'start.js') return exchange.reply('200 OK', javascript, startScript, cached)
  const asset = assetOf(name)
  if (asset === undefined) return replyHttpError(exchange, 404, 'not found')
  exchange.hold()
  bytesOf(asset.file).then(
    (bytes) => exchange.reply('200 OK', asset.type, bytes, cached),
    (error: unknown) => {
      loaded.delete(asset.file)
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return replyHttpError(exchange, 404, 'not found')
      replyError(exchange, error)
    },
  )
}

const tag = 'Documentation'

export const docRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/docs/exposer',
    operationId: 'getDocumentation',
    tag,
    summary: 'Interactive documentation',
    scope: null,
    responses: { 200: { description: 'A page.', mediaType: 'text/html' } },
    serve: (exchange) => exchange.reply('200 OK', 'text/html; charset=utf-8', page, pageHeaders),
  },
  {
    method: 'GET',
    path: '/docs/assets/{file}',
    operationId: 'getDocumentationAsset',
    tag,
    summary: 'A file that the documentation loads',
    scope: null,
    responses: { 200: { description: 'The file.', mediaType: '*/*' } },
    errors: [404],
    serve: (exchange, params) => serveAsset(exchange, params[0]!),
  },
]
