/** How far analysts agree, and how reliable each is. */
import { operation, type Route } from '../../http/route.js'
import { AnalystsView } from '../../schemas/analysts.js'
import { jobFromPath } from '../job-reference.js'

const see = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/analysts',
  operationId: 'getAnalysts',
  tag: 'Consensus',
  summary: 'See how far analysts agree, and how reliable each is',
  description:
    'From votes on single events. Where two analysts or more answered 30 events, the reliability of each analyst ' +
    'with each label is estimated without knowing the truth.',
  scope: 'read:event_query',
  responses: { 200: { description: 'The figures.', schema: AnalystsView } },
  errors: [404],
  async handle({ app, principal, params }) {
    const found = await app.service.nextLabels.analysts(jobFromPath(app, principal, params[0]!))
    return {
      analysts: found.analysts.map(({ analyst, votes, sharedEvents, labels }) => {
        return { analyst, votes, shared_events: sharedEvents, labels }
      }),
      pairs: found.pairs.map(({ analysts, events, agreement, cohenKappa }) => {
        return { analysts, events, agreement, cohen_kappa: cohenKappa }
      }),
      fleiss_kappa: found.fleissKappa,
      krippendorff_alpha: found.krippendorffAlpha,
      shared_events: found.sharedEvents,
      message: found.message,
      is_complete: found.isComplete,
    }
  },
})

export const analystRoutes: readonly Route[] = [see]
