/** The addresses of pages. Every view is an address: what is shown can be sent to a colleague. */

const part = encodeURIComponent

export const addresses = {
  home: '/',
  jobs: '/jobs',
  newJob: '/jobs/new',
  next: (job: number) => `/jobs/feedback-flow/${job}`,
  job: (job: number) => `/use-cases/overview/${job}`,
  models: (job: number) => `/jobs/${job}/models`,
  replays: (job: number) => `/jobs/${job}/replays`,
  replay: (job: number, id: string) => `/jobs/${job}/replays/${part(id)}`,
  safety: (job: number) => `/jobs/${job}/safety`,
  pipeline: (job: number) => `/jobs/${job}/pipeline`,
  settings: (job: number) => `/jobs/${job}/settings`,
  voteTasks: (job: number) => `/jobs/${job}/bulk-votes`,
  events: (job: number, query = '') => `/jobs/${job}/events${query === '' ? '' : `?${query}`}`,
  event: (job: number, id: string) => `/jobs/${job}/events/${part(id)}`,
  eventFile: (job: number, query: string) => `/api/v2/jobs/${job}/events-file?${query}`,
  buckets: (job: number) => `/jobs/${job}/buckets`,
  bucket: (job: number, id: string) => `/jobs/${job}/buckets/${part(id)}`,
  clusters: (job: number) => `/jobs/${job}/clusters`,
  cluster: (job: number, id: string) => `/jobs/${job}/clusters/${part(id)}`,
  integrations: '/integrations',
  integration: (id: number | string) => `/integrations/${part(id)}/edit`,
  operations: '/operations',
  audit: '/audit',
  people: '/people',
  keys: '/api-keys',
  manual: '/docs',
  api: '/docs/exposer',
} as const

/** True for the pages that are about the job itself. */
export function isOfJob(path: string): boolean {
  return /^\/(use-cases\/overview\/\d+|jobs\/\d+\/(models|replays|safety|pipeline|settings)(\/.*)?)$/.test(path)
}

/** Links that the router takes; others, such as the manual, are pages of their own. */
export const inConsole = /^\/(\?.*)?$|^\/(jobs|use-cases|integrations|operations|audit|people|api-keys)(\/|\?|$)/

/** The id of the job in an address, or null. */
export function jobIdOf(path: string): number | null {
  const found = /^\/+(?:jobs\/+(?:feedback-flow\/+)?|use-cases\/+overview\/+)(\d+)(?:\/|$)/.exec(path)
  return found === null ? null : Number(found[1])
}
