/** Watchdogs: conditions that the service checks, and reports when they fire or resolve. */
import { Type } from 'typebox'
import { watchdogTypes } from '../../engine/index.js'
import { Name, nullable, Timestamp } from './common.js'

const TypeName = Type.Enum([...watchdogTypes])

export const WatchdogDocument = Type.Object({
  title: Name,
  type: TypeName,
  condition: Type.Optional(Type.String({ description: 'A condition of the type; default: its first.' })),
  job_id: Type.Optional(nullable(Type.Integer({ description: 'Null: the service as a whole, or all jobs together.' }))),
  threshold: Type.Optional(Type.Number()),
  resolve_threshold: Type.Optional(
    Type.Number({ description: 'The watchdog resolves when the value is this good or better.' }),
  ),
  window_minutes: Type.Optional(Type.Integer({ description: 'For shares: minutes to look back, 1 to 60.' })),
  for_seconds: Type.Optional(
    Type.Number({ description: 'How long a state must last until the watchdog fires or resolves; default 60.' }),
  ),
  enabled: Type.Optional(Type.Boolean()),
  interval_seconds: Type.Optional(Type.Number({ description: 'Seconds between two checks; default 10.' })),
  integrations: Type.Optional(
    Type.Array(Type.Union([Type.Integer(), Type.String()]), {
      description: 'Integrations that send the notifications, by id or title.',
    }),
  ),
  throttle_seconds: Type.Optional(
    Type.Number({
      description:
        'Least seconds between two notifications that it fires; 0: notify each time. What is held back is told when ' +
        'they are over.',
    }),
  ),
  reminder_seconds: Type.Optional(
    Type.Number({ description: 'Seconds after which it is told of again while it still fires; 0: never.' }),
  ),
  working_hours_only: Type.Optional(
    Type.Boolean({
      description:
        'It is checked in working hours only, and counts their minutes only (`minutes_without_events`): those of its ' +
        'job, or of the service.',
    }),
  ),
})

export const Watchdog = Type.Object({
  watchdog_id: Type.String(),
  title: Type.String(),
  type: TypeName,
  condition: Type.String(),
  job_id: nullable(Type.Integer()),
  threshold: Type.Number(),
  resolve_threshold: Type.Number(),
  window_minutes: nullable(Type.Integer()),
  for_seconds: Type.Number(),
  interval_seconds: Type.Number(),
  throttle_seconds: Type.Number(),
  reminder_seconds: Type.Number(),
  working_hours_only: Type.Boolean(),
  integrations: Type.Array(Type.Object({ integration_id: Type.Integer(), title: Type.String() }), {
    description: 'Integrations that still exist.',
  }),
  monitor: nullable(
    Type.String({ description: 'Its name in the `monitoring_settings` of its job; null if it is not from there.' }),
  ),
  enabled: Type.Boolean(),
  state: Type.Enum(['ok', 'firing', 'unknown', 'disabled'], {
    description: '`unknown`: there is nothing to measure, or nothing yet.',
  }),
  since: Timestamp,
  value: nullable(Type.Number({ description: 'The value of the latest check.' })),
  created_at: Timestamp,
})

export const WatchdogList = Type.Object({ watchdogs: Type.Array(Watchdog), total_count: Type.Integer() })

export const WatchdogSwitch = Type.Object({ watchdog_id: Type.String(), enabled: Type.Boolean() })

export const WatchdogConditions = Type.Object({
  type: TypeName,
  conditions: Type.Array(
    Type.Object({
      condition: Type.String(),
      description: Type.String(),
      unit: Type.String(),
      fires: Type.Enum(['above', 'below'], { description: 'On which side of the threshold it fires.' }),
      default_threshold: Type.Number(),
      job_id: Type.Enum(['required', 'optional', 'not allowed']),
      default_window_minutes: nullable(Type.Integer()),
    }),
  ),
})
