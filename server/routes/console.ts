/**
 * The pages of the console (C3.12). Clients write links to them into incidents, and answers of `/api/v2/resources` hold
 * them as `url`. One HTML page serves all paths; its scripts (console/) read the API.
 */
import { readFile } from 'node:fs/promises'
import { replyError, replyHttpError } from '../http/error-reply.js'
import type { Route } from '../http/route.js'
import { pageHeaders } from './docs.js'

const scripts: ReadonlySet<string> = new Set([
  'app.js',
  'api.js',
  'dom.js',
  'pages.js',
  'quality.js',
  'set-up-pages.js',
])

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Decision service</title>
<link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png">
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 75rem; color: #1b2733; }
header { border-bottom: 1px solid #cdd6df; padding-bottom: .5rem; }
h1 { font-size: 1.3rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #e3e9ef; }
td { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
textarea { box-sizing: border-box; width: 100%; font: 13px/1.4 monospace; }
.votes button { margin: 0 .3rem .3rem 0; }
#notice { color: #b3261e; min-height: 1.5em; }
footer { margin-top: 2rem; }
</style>
</head>
<body>
<header><a href="/jobs">Jobs</a> · <a href="/api-keys">API keys</a> · <a href="/docs">Manual</a> · <a href="/docs/exposer">API</a></header>
<p id="notice" role="alert"></p>
<main id="main"></main>
<noscript>This page needs JavaScript.</noscript>
<script type="module" src="/console/app.js"></script>
</body>
</html>
`

const tag = 'Console'

function link(path: string, operationId: string, summary: string): Route {
  return {
    method: 'GET',
    path,
    operationId,
    tag,
    summary,
    description: 'A page for people. It asks for a key, a token or a password, and shows what the caller may see.',
    scope: null,
    responses: { 200: { description: 'A page.', mediaType: 'text/html' } },
    serve: (exchange) => exchange.reply('200 OK', 'text/html; charset=utf-8', page, pageHeaders),
  }
}

const loaded = new Map<string, Promise<Buffer>>()

function scriptOf(name: string): Promise<Buffer> {
  let bytes = loaded.get(name)
  if (bytes === undefined)
    loaded.set(name, (bytes = readFile(new URL(`../../server/console/${name}`, import.meta.url))))
  return bytes
}

const script: Route = {
  method: 'GET',
  path: '/console/{file}',
  operationId: 'getConsoleScript',
  tag,
  summary: 'Get a script of the pages',
  scope: null,
  responses: { 200: { description: 'The script.', mediaType: 'text/javascript' } },
  errors: [404],
  serve(exchange, params) {
    const name = params[0] as string
    if (!scripts.has(name)) return replyHttpError(exchange, 404, 'not found')
    exchange.hold()
    scriptOf(name).then(
      (bytes) =>
        exchange.reply('200 OK', 'text/javascript; charset=utf-8', bytes, [['X-Content-Type-Options', 'nosniff']]),
      (error: unknown) => {
        loaded.delete(name)
        replyError(exchange, error)
      },
    )
  },
}

export const consoleRoutes: readonly Route[] = [
  link('/jobs', 'getJobsPage', 'Page of all jobs'),
  link('/jobs/feedback-flow/{job_id}', 'getFeedbackPage', 'Page to vote on the latest events of a job'),
  link('/use-cases/overview/{job_id}', 'getJobPage', 'Page of a job, with its metrics'),
  link('/integrations/{integration_id}/edit', 'getIntegrationPage', 'Page to view and change an integration'),
  link('/api-keys', 'getKeysPage', 'Page to make and delete API keys'),
  script,
]
