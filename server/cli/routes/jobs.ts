/** `decide jobs ...`. */
import { buildRouteMap } from '@stricli/core'
import { command } from '../command.js'
import { flag, job, place, service } from '../flags.js'

const load = () => import('../commands/jobs.js')

const list = command({
  load: async () => (await load()).listJobs,
  docs: { brief: 'List jobs' },
  parameters: { flags: service },
})

const show = command({
  load: async () => (await load()).showJob,
  docs: { brief: 'Show a job and its warnings' },
  parameters: { flags: service, positional: { kind: 'tuple', parameters: [job] } },
})

const start = command({
  load: async () => (await load()).startJob,
  docs: { brief: 'Start a job, and decide the events that it held' },
  parameters: { flags: service, positional: { kind: 'tuple', parameters: [job] } },
})

const stop = command({
  load: async () => (await load()).stopJob,
  docs: { brief: 'Stop a job: new events are stored and wait' },
  parameters: { flags: service, positional: { kind: 'tuple', parameters: [job] } },
})

const apply = command({
  load: async () => (await load()).applyFile,
  docs: {
    brief: 'Make or change what a file describes: jobs, integrations, keys',
    fullDescription: 'The file is JSON, as for POST /api/v2/resources; - is standard input. A new key is printed once.',
  },
  parameters: {
    flags: { ...service, keepExisting: flag('Refuse where something exists already') },
    positional: { kind: 'tuple', parameters: [place('File with resources', 'file')] },
  },
})

export const jobsRoute = buildRouteMap({
  routes: { list, show, start, stop, apply },
  defaultCommand: 'list',
  docs: { brief: 'List, show, start and stop jobs, and make them from a file' },
})
