/** Commands about events. */
import { command } from '../command.js'
import type { IngestFlags } from '../commands/ingest.js'
import type { QueryFlags } from '../commands/query.js'
import type { TailFlags } from '../commands/tail.js'
import { UsageError } from '../failure.js'
import { asText, event, flag, job, number, optionalPlace, service, text, wholeNumber } from '../flags.js'

const RESULTS_MAX = 10_000

type Places = readonly (string | undefined)[]

/** The last place, and the flags with the job that stands before it. */
function jobBefore<F extends { readonly job?: string | undefined }>(
  flags: F,
  [first, second]: Places,
): [last: string | undefined, flags: F] {
  if (second === undefined) return [first, flags]
  if (flags.job !== undefined) throw new UsageError(`the job is named twice: ${first} and --job ${flags.job}`)
  return [second, { ...flags, job: first }]
}

const filter = {
  kind: 'parsed',
  parse: asText,
  brief: 'field=value, also != ~ !~ ^= > >= < <=, "field in a,b", "field exists", "field missing"; all must hold',
  placeholder: 'filter',
  variadic: true,
  optional: true,
} as const

const ingest = command<IngestFlags, Places>({
  load: async () => {
    const { ingest: run } = await import('../commands/ingest.js')
    return (context, flags, ...places) => {
      const [file, all] = jobBefore(flags, places)
      return run(context, all, file)
    }
  },
  docs: {
    customUsage: ['[<job>] [<file>]'],
    brief: 'Send events from a file or standard input: JSON, NDJSON or CSV, also gzip',
    fullDescription:
      'With --job each document is an event; without it each line has job_id and raw_body, as for ' +
      'POST /api/v1/events/_bulk. CSV has the names of the fields in its first line; a name with dots is a path. ' +
      'With --label-field the events are old ones whose answers train the first model of the job. ' +
      'Events are on disk when they are counted. A command that ends early says how to go on.',
  },
  parameters: {
    flags: {
      ...service,
      job: text('The id or the title of the job of all events', 'job'),
      format: {
        kind: 'enum',
        values: ['auto', 'ndjson', 'csv'] as const,
        default: 'auto' as const,
        brief: 'Kind of the input; default: what its content looks like',
      },
      idField: text('Where an event has its id, such as alert.id; default: an id is made', 'path'),
      labelField: text('Where an event has the answer that people gave, such as verdict; it is sent as a vote', 'path'),
      map: {
        kind: 'parsed',
        parse: asText,
        brief: 'With --label-field: the label that a value is; may be given again; value= is no answer',
        placeholder: 'value=label',
        variadic: true,
        optional: true,
      },
      separator: text('Separator of CSV; default: the one in the first line', 'char'),
      text: flag('CSV: keep numbers, true and false as text'),
      run: text('Prefix of the ids that are made; use it again to go on', 'name'),
      skip: number('Events to leave out at the beginning', 0, [0, 1e15]),
      results: flag('Print each decision as a line of JSON'),
    },
    positional: {
      kind: 'tuple',
      parameters: [
        optionalPlace('File; default: standard input. Of two places the first is the job', 'file'),
        optionalPlace('File, behind the job', 'file'),
      ],
    },
  },
})

const tail = command<TailFlags, [job?: string]>({
  load: async () => {
    const { tail: run } = await import('../commands/tail.js')
    return (context, flags, job) =>
      run(context, job === undefined ? flags : { ...flags, job: [job, ...(flags.job ?? [])] })
  },
  docs: {
    customUsage: ['[<job>]'],
    brief: 'Follow decisions, votes, trainings and clusters as they happen',
    fullDescription: 'A connection that breaks goes on where it was. --json prints one message a line, with its id.',
  },
  parameters: {
    flags: {
      ...service,
      job: {
        kind: 'parsed',
        parse: asText,
        brief: 'The id or the title of a job; may be given again; default: all jobs',
        placeholder: 'job',
        variadic: true,
        optional: true,
      },
      filter,
      type: {
        kind: 'enum',
        values: ['decision', 'vote', 'training', 'cluster'] as const,
        brief: 'Only messages of this type; may be given again',
        variadic: true,
        optional: true,
      },
      after: text('The id of a message: go on behind it', 'id'),
      limit: {
        kind: 'parsed',
        parse: wholeNumber(1, 1e9),
        brief: 'End after so many messages',
        placeholder: 'n',
        optional: true,
      },
    },
    aliases: { f: 'filter', n: 'limit' },
    positional: { kind: 'tuple', parameters: [optionalPlace('The id or the title of a job', 'job')] },
  },
})

const query = command<QueryFlags, Places>({
  load: async () => {
    const { query: run } = await import('../commands/query.js')
    return (context, flags, ...places) => {
      const [text, all] = jobBefore(flags, places)
      return run(context, all, text)
    }
  },
  docs: {
    customUsage: ['[<job>] [<query>]'],
    brief: 'Find events by a query and times',
    fullDescription:
      'The query is in the query language, such as "label:Escalate (host.name:web-* OR severity>3)". Each filter is ' +
      'a further condition. Times are ISO 8601 or date math such as now-1d. --json prints one event a line.',
  },
  parameters: {
    flags: {
      ...service,
      job: text('The id or the title of a job; default: all jobs', 'job'),
      filter,
      since: text('Only events of this time or later', 'time'),
      until: text('Only events of this time or earlier', 'time'),
      arrival: flag('--since and --until mean when the events arrived'),
      sort: text('Field to sort by; default: the time of arrival', 'field'),
      ascending: flag('Smallest or oldest first'),
      limit: number('Events at most', 20, [1, RESULTS_MAX]),
      count: flag('Print only how many events match'),
    },
    aliases: { f: 'filter', n: 'limit' },
    positional: {
      kind: 'tuple',
      parameters: [
        optionalPlace('Query; default: all events. Of two places the first is the job', 'query'),
        optionalPlace('Query, behind the job', 'query'),
      ],
    },
  },
})

const next = command({
  load: async () => (await import('../commands/next.js')).next,
  docs: {
    brief: 'What people should be asked next, why, and what it settles',
    fullDescription: 'With --vote it shows one event after the other and takes the answers.',
  },
  parameters: {
    flags: {
      ...service,
      count: number('Events at most', 10, [1, 50]),
      vote: flag('Ask, and vote with the answers'),
      as: text('The analyst; default: the user of this machine', 'name'),
    },
    aliases: { n: 'count' },
    positional: { kind: 'tuple', parameters: [job] },
  },
})

const vote = command({
  load: async () => (await import('../commands/vote.js')).vote,
  docs: { brief: "Give or withdraw an analyst's vote on an event", customUsage: ['<job> <event> [<label>]'] },
  parameters: {
    flags: {
      ...service,
      as: text('The analyst; default: the user of this machine', 'name'),
      bucket: flag('Vote on the whole bucket of the event'),
      withdraw: flag('Withdraw the vote'),
      note: text('Closing notes', 'text'),
      pickedBy: {
        kind: 'enum',
        values: ['rule', 'uniform', 'hunt', 'dissent', 'flipped', 'queue', 'second_look'] as const,
        brief: 'How the event was chosen, as "decide next --json" says',
        optional: true,
      },
    },
    positional: { kind: 'tuple', parameters: [job, event, optionalPlace('The right label', 'label')] },
  },
})

export const eventRoutes = { ingest, tail, query, next, vote }
