/** Watchdogs on the wire. */
import { Type } from 'typebox'
import { watchdogTypes } from '../../engine/index.js'
import { Name, nullable, Timestamp } from './common.js'

const TypeName = Type.Enum([...watchdogTypes])

export const WatchdogDocument = Type.Object({
  title: Name,
  type: TypeName,
  condition: Type.Optional(Type.String({ description: "One of the type's conditions; its first where not given." })),
  job_id: Type.Optional(nullable(Type.Integer({ description: 'null: the service as a whole, or all jobs together.' }))),
  threshold: Type.Optional(Type.Number()),
  resolve_threshold: Type.Optional(Type.Number({ description: 'It is good again from here on.' })),
  window_minutes: Type.Optional(Type.Integer({ description: 'For shares: how far it looks back, 1 to 60.' })),
  for_seconds: Type.Optional(
    Type.Number({ description: 'It fires, and resolves, when things were so for so long; 60.' }),
  ),
  enabled: Type.Optional(Type.Boolean()),
  interval_seconds: Type.Optional(Type.Number({ description: 'Looked at once in so many seconds; 10.' })),
  integrations: Type.Optional(
    Type.Array(Type.Union([Type.Integer(), Type.String()]), {
      description: 'By id or title: what tells that it fires and resolves.',
    }),
  ),
  throttle_seconds: Type.Optional(
    Type.Number({ description: 'That it fires is told at most once in so many seconds; 0: each time.' }),
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
  integrations: Type.Array(Type.Object({ integration_id: Type.Integer(), title: Type.String() }), {
    description: 'Those that are still there.',
  }),
  monitor: nullable(Type.String({ description: "Where it is one of its job's monitoring_settings: its name there." })),
  enabled: Type.Boolean(),
  state: Type.Enum(['ok', 'firing', 'unknown', 'disabled'], {
    description: '`unknown`: there is nothing to measure, or not yet.',
  }),
  since: Timestamp,
  value: nullable(Type.Number({ description: 'As it was measured last.' })),
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
      fires: Type.Enum(['above', 'below'], { description: 'The threshold.' }),
      default_threshold: Type.Number(),
      job_id: Type.Enum(['required', 'optional', 'not allowed']),
      default_window_minutes: nullable(Type.Integer()),
    }),
  ),
})
