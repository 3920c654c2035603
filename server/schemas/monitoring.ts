/** The service and its components, for operators. */
import { Type } from 'typebox'
import { batchKinds, components, logLevels, monitorBounds, timeSelectors } from '../../engine/index.js'
import { nullable, Timestamp } from './common.js'
import { Watchdog } from './watchdogs.js'

const ComponentType = Type.Enum([...components])
const ContainerId = Type.String({
  description: 'Which container of the component type: `main`, a number, `shard-0`, `catalog`, `process`.',
})
const Health = Type.Enum(['healthy', 'degraded', 'unhealthy'])
const LogLevelName = Type.Enum([...logLevels])

export const ServiceAlive = Type.Object({
  status: Type.Literal('OK'),
  state: Type.Enum(['starting', 'ready', 'draining', 'closing']),
})

export const Container = Type.Object({
  component_type: ComponentType,
  container_id: ContainerId,
  title: Type.String(),
  status: Type.Enum(['running', 'idle', 'starting', 'stopped'], {
    description: '`idle`: its threads start when there is work.',
  }),
  health: Health,
  reason: Type.String({ description: 'Why the container is not healthy.' }),
  started_at: Timestamp,
  uptime_seconds: Type.Number(),
  restarts: Type.Integer({ description: 'Restarts since the process started.' }),
  restartable: Type.Boolean(),
  queue: Type.Object(
    { length: Type.Integer(), bytes: Type.Integer() },
    { description: 'Work that waits or is under way.' },
  ),
  store_bytes: nullable(Type.Integer()),
  cpu_percent: nullable(
    Type.Number({ description: 'Percent of one core, over the latest interval; null if not measured.' }),
  ),
  memory_bytes: nullable(Type.Integer()),
  log_level: LogLevelName,
  last_error: nullable(Type.Object({ timestamp: Timestamp, message: Type.String() })),
})

export const ContainerList = Type.Object({ containers: Type.Array(Container), total_count: Type.Integer() })

export const UsageSeries = Type.Object({
  component_type: ComponentType,
  container_id: ContainerId,
  time_selector: Type.Enum([...timeSelectors]),
  unit: Type.Enum(['percent', 'bytes'], { description: 'Percent of one core.' }),
  points: Type.Array(Type.Object({ timestamp: Timestamp, value: Type.Number() }), {
    description: 'Oldest first; each point is the mean of its interval.',
  }),
})

export const ContainerCheck = Type.Object({
  component_type: ComponentType,
  container_id: ContainerId,
  health: Health,
  reason: Type.String(),
  response_ms: Type.Number(),
  checked_at: Timestamp,
})

const Restarted = Type.Object({
  component_type: ComponentType,
  container_id: ContainerId,
  restarted: Type.Boolean(),
  reason: Type.String(),
})

export const RestartResult = Restarted
export const RestartResults = Type.Object({ containers: Type.Array(Restarted) })

export const LogLevelChange = Type.Object({ log_level: LogLevelName })
export const LogLevelResult = Type.Object({
  component_type: ComponentType,
  container_id: ContainerId,
  log_level: LogLevelName,
})

export const StoreStatus = Type.Object(
  {
    cluster_name: Type.String(),
    status: Type.Enum(['green', 'yellow', 'red'], {
      description: '`yellow`: the disk is nearly full; `red`: it is full.',
    }),
    number_of_nodes: Type.Integer(),
    documents: Type.Integer({ description: 'Stored events.' }),
    store_bytes: Type.Integer(),
    disk_free_percent: Type.Number(),
    indices: Type.Array(
      Type.Object({ name: Type.String(), health: Type.Enum(['green', 'yellow', 'red']), store_bytes: Type.Integer() }),
    ),
  },
  {
    description: 'The service uses no search engine: it shows itself as one node, whose indices are its shards.',
  },
)

export const BatchQuery = Type.Object({
  type: Type.Optional(Type.Enum([...batchKinds])),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: monitorBounds.batchesKept * batchKinds.length })),
})

export const BatchList = Type.Object({
  batches: Type.Array(
    Type.Object({
      type: Type.Enum([...batchKinds]),
      component_type: ComponentType,
      container_id: ContainerId,
      job_id: nullable(
        Type.Integer({
          description: 'Null for turns, which hold messages of many jobs, and for notifications of watchdogs.',
        }),
      ),
      items: Type.Integer({ description: 'Number of messages, documents or events.' }),
      started_at: Timestamp,
      finished_at: Timestamp,
      seconds: Type.Number(),
      status: Type.Enum(['finished', 'failed']),
      error: nullable(Type.String()),
    }),
  ),
})

export const ObjectsExport = Type.Object({
  exported_at: Timestamp,
  name: Type.String(),
  resources: Type.Array(Type.Unknown(), {
    description: 'Keys, integrations and jobs as in `GET /api/v2/resources`, jobs in full.',
  }),
  users: Type.Array(
    Type.Object({ name: Type.String(), role: Type.String(), enabled: Type.Boolean(), created_at: Type.String() }),
  ),
  watchdogs: Type.Array(Watchdog),
})
