/** Backups on the wire. */
import { Type } from 'typebox'
import { nullable, Timestamp } from './common.js'

export const BackupRequest = Type.Object({
  name: Type.Optional(Type.String({ description: 'Letters, digits, `-`, `_` and `.`; default: the current time.' })),
})

export const Backup = Type.Object({
  name: Type.String(),
  state: Type.Enum(['running', 'finished', 'failed']),
  made_at: nullable({ ...Timestamp, description: 'The moment whose state the backup holds.' }),
  bytes: nullable(Type.Integer()),
  message: Type.String({ description: 'Why the backup failed.' }),
})

export const BackupList = Type.Object({ backups: Type.Array(Backup) })
