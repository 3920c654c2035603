/** What the killed process applies in each round: a new set, and a change of the shared jobs. */

const JOBS = 30

export const sharedJobs = Array.from({ length: JOBS }, (_, index) => `shared ${index}`)

export function jobsOfRound(round: number): string[] {
  return Array.from({ length: JOBS }, (_, index) => `round ${round} job ${index}`)
}

function job(title: string, description: string, pipeline: readonly object[]): object {
  return { type: 'job', properties: { title, description, decision_points: ['host'], pipeline_integrations: pipeline } }
}

export function roundDocument(round: number): Record<string, object> {
  const parameters = { api_key: `key ${round}`, data_type: 'alerts' }
  const steps = [{ resource: 'rest', integration_type: 'input' }]
  return {
    key: { type: 'api_key', properties: { name: `key ${round}` } },
    rest: {
      type: 'integration',
      properties: { title: `rest ${round}`, integration_type: 'External REST API', parameters },
    },
    ...Object.fromEntries(jobsOfRound(round).map((title) => [title, job(title, `${round}`, steps)])),
    ...Object.fromEntries(sharedJobs.map((title) => [title, job(title, `${round}`, steps)])),
  }
}
