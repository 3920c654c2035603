/** Backups of the whole service, made while it runs. */
import type { BackupView } from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import { Backup, BackupList, BackupRequest } from '../../schemas/backups.js'

const tag = 'Monitoring'
const path = '/api/monitoring/api/v1/backups'

function backupWire({ name, state, madeAt, bytes, message }: BackupView) {
  return { name, state, made_at: madeAt, bytes, message }
}

const make = operation({
  method: 'POST',
  path,
  operationId: 'makeBackup',
  tag,
  summary: 'Start a backup of all stored data',
  description:
    'The backup is written to the directory in `SERVICE_BACKUP_DIR`, on the machine of the service. It holds ' +
    'everything that was acknowledged up to its moment; events are accepted meanwhile. The status is 409 if another ' +
    'backup is running, the name is taken, or the disk has no room.',
  scope: 'write:platform_monitoring',
  body: BackupRequest,
  bodyExample: { name: 'monday' },
  status: 202,
  responses: {
    202: { description: 'The backup is running; the list of backups shows when it is finished.', schema: Backup },
  },
  errors: [409],
  handle: ({ app, body }) => backupWire(app.service.backups.start(body.name)),
})

const list = operation({
  method: 'GET',
  path,
  operationId: 'listBackups',
  tag,
  summary: 'List backups',
  description: 'Ordered by name, latest first. Includes running backups, and those that failed since the start.',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'Backups.', schema: BackupList } },
  handle: ({ app }) => ({ backups: app.service.backups.list().map(backupWire) }),
})

export const backupRoutes: readonly Route[] = [make, list]
