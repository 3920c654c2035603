/** Watchdogs on the wire. */
import { Type } from 'typebox'
import { watchdogTypes } from '../../engine/index.js'
import { Name, nullable, Timestamp } from './common.js'

const TypeName = Type.Enum([...watchdogTypes])

export const NewWatchdog = Type.Object({
  title: Name,
  type: TypeName,
  condition: Type.Optional(Type.String({ description: 'One of the type\'s conditions; its first where not given.' })),
  job_id: Type.Optional(nullable(Type.Integer({ description: 'null: the service as a whole, or all jobs together.' }))),
  threshold: Type.Optional(Type.Number()),
  resolve_threshold: Type.Optional(Type.Number({ description: 'It is good again from here on.' })),
  window_minutes: Type.Optional(Type.Integer({ description: 'For shares: how far it looks back, 1 to 60.' })),
  for_seconds: Type.Optional(Type.Number({ description: 'It fires, and resolves, when things were so for so long; 60.' })),
  enabled: Type.Optional(Type.Boolean()),
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
  enabled: Type.Boolean(),
  state: Type.Enum(['ok', 'firing', 'unknown', 'disabled'], { description: '`unknown`: there is nothing to measure, or not yet.' }),
  since: Timestamp,
  value: nullable(Type.Number({ description: 'As it was measured last.' })),
  created_at: Timestamp,
})

export const WatchdogList = Type.Object({ watchdogs: Type.Array(Watchdog), total_count: Type.Integer() })

export const WatchdogSwitch = Type.Object({ watchdog_id: Type.String(), enabled: Type.Boolean() })

export const WatchdogConditions = Type.Object({
  type: TypeName,
  conditions: Type.Array(Type.Object({
    condition: Type.String(),
    description: Type.String(),
    unit: Type.String(),
    fires: Type.Enum(['above', 'below'], { description: 'The threshold.' }),
    default_threshold: Type.Number(),
    job_id: Type.Enum(['required', 'optional', 'not allowed']),
    default_window_minutes: nullable(Type.Integer()),
  })),
})
