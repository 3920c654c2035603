/** `POST /api/v2/field-statistics`: which fields of a sample may decide. Nothing of it is stored. */
import { limits } from '../../../engine/index.js'
import { stillAuthorized } from '../../http/auth.js'
import { collectBody } from '../../http/body.js'
import { whileHeld } from '../../http/held-bytes.js'
import { replyError } from '../../http/error-reply.js'
import { replyJson } from '../../http/reply.js'
import type { Route } from '../../http/route.js'
import { Checker } from '../../http/validate.js'
import { FieldStatistics, SampleEvents, SampleQuery } from '../../schemas/live/sample.js'

const checker = new Checker(SampleQuery, 'query')
const scope = 'write:resources'

const statistics: Route = {
  method: 'POST',
  path: '/api/v2/field-statistics',
  operationId: 'describeSample',
  tag: 'Jobs',
  summary: 'See which fields of a sample of events may decide',
  description:
    'The body is a JSON array, a JSON document that holds one, NDJSON, or CSV with a line of names, also as gzip. ' +
    `Its content says which. It has at most ${limits.sampleBytesMax / 2 ** 20} MiB. The answer says of each field ` +
    'how many events have it, how many values there are, examples, and whether it is suggested as a decision ' +
    'point, with the reason. It says which field has the answers of people, and which the id of an event. ' +
    'Nothing is stored.',
  isIdempotent: true,
  scope,
  query: SampleQuery,
  body: SampleEvents,
  bodyExample: [{ rule: { id: '4625' }, host: { name: 'web-1' } }],
  responses: { 200: { description: 'The statistics.', schema: FieldStatistics } },
  serve(exchange, _params, app) {
    const { points = null } = checker.checkQuery(exchange.query())
    collectBody(exchange, limits.sampleBytesMax)
      .then((bytes) => {
        stillAuthorized(exchange, app, scope)
        return whileHeld(bytes.length, () => app.service.live.samples.statistics(bytes, points))
      })
      .then((found) => {
        replyJson(exchange, 200, {
          events: found.events,
          format: found.format,
          skipped: found.skipped,
          fields: found.fields,
          decision_points: found.decisionPoints,
          label_field: found.answersField,
          id_field: found.idField,
          buckets: found.buckets,
          largest_share: Math.round(found.largestShare * 1e4) / 1e4,
        })
      })
      .catch((error: unknown) => replyError(exchange, error))
  },
}

export const sampleRoutes: readonly Route[] = [statistics]
