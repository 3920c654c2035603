/** `decide replay ...`. */
import { buildRouteMap } from '@stricli/core'
import { command } from '../command.js'
import { asText, job, numberBetween, place, service, text, wholeNumber } from '../flags.js'

const load = () => import('../commands/replay.js')

function many(brief: string, placeholder: string) {
  return { kind: 'parsed', parse: asText, brief, placeholder, variadic: true, optional: true } as const
}

const start = command({
  load: async () => (await load()).startReplay,
  docs: {
    brief: 'Decide a period again with other terms, and report what would differ',
    fullDescription: 'It changes nothing. --model and --against compare two models: what a training has changed.',
  },
  parameters: {
    flags: {
      ...service,
      since: text('Events that arrived at this time or later', 'time'),
      until: text('Events that arrived before this time', 'time'),
      model: text('Decide with this model; default: the one that decides', 'model'),
      against: text('Compare with this model; default: the stored decisions', 'model'),
      point: many('Train on this decision point; may be given again', 'field'),
      withoutAnalyst: many('Train without the votes of this analyst; may be given again', 'name'),
      threshold: {
        kind: 'parsed',
        parse: numberBetween(-1, 101),
        brief: 'Least confidence of events that are settled and sent',
        placeholder: 'percent',
        optional: true,
      },
      seed: {
        kind: 'parsed',
        parse: wholeNumber(0, 2 ** 32 - 1),
        brief: 'Train with this seed',
        placeholder: 'n',
        optional: true,
      },
      wait: { kind: 'boolean', brief: 'Wait for the report', default: true },
    },
    positional: { kind: 'tuple', parameters: [job] },
  },
})

const one = { kind: 'tuple', parameters: [job, place('The id of a replay', 'replay')] } as const

const show = command({
  load: async () => (await load()).showReplay,
  docs: { brief: 'Show the report of a replay' },
  parameters: { flags: service, positional: one },
})

const cancel = command({
  load: async () => (await load()).cancelReplay,
  docs: { brief: 'Cancel a replay' },
  parameters: { flags: service, positional: one },
})

const list = command({
  load: async () => (await load()).listReplays,
  docs: { brief: 'List the replays of a job' },
  parameters: { flags: service, positional: { kind: 'tuple', parameters: [job] } },
})

export const replayRoute = buildRouteMap({
  routes: { start, show, list, cancel },
  docs: { brief: 'What would have been decided with another model or other terms' },
})
