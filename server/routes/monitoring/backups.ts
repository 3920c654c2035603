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
  summary: 'Begin a backup of all that is stored',
  description:
    'It goes into the directory that `SERVICE_BACKUP_DIR` names, on the machine of the service, and holds what was acknowledged ' +
    'up to its moment. Events are taken in meanwhile. 409 where one is being made, the name is taken, or there is no room.',
  scope: 'write:platform_monitoring',
  body: BackupRequest,
  bodyExample: { name: 'monday' },
  status: 202,
  responses: {
    202: { description: 'It is being made; the list of backups says when it is finished.', schema: Backup },
  },
  errors: [409],
  handle: ({ app, body }) => backupWire(app.service.backups.start(body.name)),
})

const list = operation({
  method: 'GET',
  path,
  operationId: 'listBackups',
  tag,
  summary: 'See the backups that there are',
  description: 'The latest name first; those under way too, and those that failed since the start.',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'Backups.', schema: BackupList } },
  handle: ({ app }) => ({ backups: app.service.backups.list().map(backupWire) }),
})

export const backupRoutes: readonly Route[] = [make, list]
