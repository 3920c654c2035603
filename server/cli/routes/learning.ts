/** Commands about learning and about what a job may settle automatically. */
import { buildRouteMap } from '@stricli/core'
import { command } from '../command.js'
import { replayRoute } from './replay.js'
import { job, number, numberBetween, optionalPlace, place, service, text } from '../flags.js'

const train = command({
  load: async () => (await import('../commands/train.js')).train,
  docs: { brief: 'Train a job on its votes, and wait for the model' },
  parameters: {
    flags: {
      ...service,
      wait: { kind: 'boolean', brief: 'Wait until the model decides', default: true },
    },
    positional: { kind: 'tuple', parameters: [job] },
  },
})

const load = () => import('../commands/safety.js')

const show = command({
  load: async () => (await load()).showSafety,
  docs: { brief: 'Show the safety contract of a job and its gates' },
  parameters: { flags: service, positional: { kind: 'tuple', parameters: [job] } },
})

const set = command({
  load: async () => (await load()).setSafety,
  docs: { brief: 'Set the safety contract', fullDescription: 'The file is JSON, as for PUT .../autonomy.' },
  parameters: {
    flags: service,
    positional: { kind: 'tuple', parameters: [job, place('File with the contract', 'file')] },
  },
})

const forecast = command({
  load: async () => (await load()).forecastSafety,
  docs: { brief: 'Forecast what could be settled, and what the proof would take' },
  parameters: {
    flags: {
      ...service,
      epsilon: {
        kind: 'parsed',
        parse: numberBetween(0, 0.5),
        brief: 'The share of settled events that may be wrong; default: 0.02',
        placeholder: 'share',
        default: '0.02',
      },
    },
    positional: { kind: 'tuple', parameters: [job] },
  },
})

const reopen = command({
  load: async () => (await load()).reopenSettled,
  docs: { brief: 'Send settled events back to people' },
  parameters: {
    flags: {
      ...service,
      label: text('Only events that were settled with this label', 'label'),
      since: text('Only events from this time on; default: 28 days ago', 'time'),
    },
    positional: { kind: 'tuple', parameters: [job] },
  },
})

const safety = buildRouteMap({
  routes: { show, set, forecast, reopen },
  docs: { brief: 'What a job may settle automatically: contract, gates, forecast' },
})

const loadModels = () => import('../commands/models.js')

const listModels = command({
  load: async () => (await loadModels()).listModels,
  docs: { brief: 'List the models of a job, with what they got right' },
  parameters: {
    flags: { ...service, limit: number('Models at most', 20, [1, 10_000]) },
    aliases: { n: 'limit' },
    positional: { kind: 'tuple', parameters: [job] },
  },
})

const showModel = command({
  load: async () => (await loadModels()).showModel,
  docs: { brief: 'Show a model, and what it was trained from' },
  parameters: { flags: service, positional: { kind: 'tuple', parameters: [job, place('The id of a model', 'model')] } },
})

const models = buildRouteMap({
  routes: { list: listModels, show: showModel },
  docs: { brief: 'The models of a job' },
})

const rollback = command({
  load: async () => (await loadModels()).rollback,
  docs: { brief: 'Let an earlier model decide from the next event on' },
  parameters: {
    flags: { ...service, to: text('The id of the model; default: the one that decided before', 'model') },
    positional: { kind: 'tuple', parameters: [job] },
  },
})

const promote = command({
  load: async () => (await loadModels()).promote,
  docs: {
    brief: 'Let the challenger, or a model that is kept, decide from the next event on',
    customUsage: ['<job> [<model>]'],
  },
  parameters: {
    flags: service,
    positional: {
      kind: 'tuple',
      parameters: [job, optionalPlace('The id of a model; default: the challenger', 'model')],
    },
  },
})

export const learningRoutes = { train, models, promote, rollback, replay: replayRoute, safety }
