/** `POST /api/v2/jobs/{job_id}/file-warnings`: what a file had that was guessed or left out, as warnings of the job. */
import { operation, type Route } from '../../http/route.js'
import { StatusOnly } from '../../schemas/common.js'
import { FileWarnings } from '../../schemas/live/file-warnings.js'
import { jobForPosts } from '../job-reference.js'

const keep = operation({
  method: 'POST',
  path: '/api/v2/jobs/{job_id}/file-warnings',
  operationId: 'postFileWarnings',
  tag: 'Events',
  summary: 'Keep what the reader of a file has warned of',
  description:
    'Whoever reads a file and sends its events tells the job what had to be guessed or was left out. The job has it ' +
    'among its warnings, with a count and the first example. Counts of several files add up, so send it once a file.',
  scope: 'write:events',
  body: FileWarnings,
  bodyExample: { warnings: [{ type: 'charset', count: 40, example: '1;M\u00fcller' }] },
  responses: { 200: { description: 'The job has them.', schema: StatusOnly, example: { status: 'ok' } } },
  errors: [404, 409, 507],
  async handle({ app, principal, params, body }) {
    const found = body.warnings.map(({ type, count, example }) => ({ kind: type, field: '', count, example }))
    await app.service.keepFindings(jobForPosts(app, principal, params[0]!), found)
    return { status: 'ok' }
  },
})

export const fileWarningRoutes: readonly Route[] = [keep]
