/**
 * `decide backup`, `verify`, `restore`: the service makes a backup of itself, and the files of a backup or of a data
 * directory are checked and restored without a service.
 */
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { backupDataDir, restoreBackup, verifyDataDir } from '../../../engine/index.js'
import type { Backup } from '../../client/index.js'
import type { Context, ServiceFlags } from '../context.js'
import { CommandError, UsageError } from '../failure.js'
import { counted } from '../terminal/words.js'

export interface BackupFlags extends ServiceFlags {
  readonly name?: string | undefined
  readonly list?: boolean | undefined
  readonly dataDir?: string | undefined
  readonly withoutKey?: boolean | undefined
}

const ASK_AGAIN_MS = 250

async function backupOfDirectory(context: Context, flags: BackupFlags, into: string | undefined): Promise<void> {
  if (into === undefined) throw new UsageError('name the directory of the backup')
  const report = await backupDataDir(flags.dataDir!, resolve(into), !flags.withoutKey)
  context.print(flags, report, ({ directory, madeAt, files, bytes, seconds }) => {
    return `${directory}: the state of ${madeAt}, ${files} files, ${bytes} bytes, ${seconds.toFixed(1)} s.`
  })
}

export async function backup(context: Context, flags: BackupFlags, into?: string): Promise<void> {
  if (flags.dataDir !== undefined) return backupOfDirectory(context, flags, into)
  if (into !== undefined || flags.withoutKey)
    throw new UsageError('a directory and --without-key need --data-dir; the service backs up where it is set to')
  const client = context.client(flags)
  if (flags.list) {
    const columns = [
      { title: 'name', of: (one: Backup) => one.name },
      { title: 'state', of: (one: Backup) => one.state },
      { title: 'made at', of: (one: Backup) => one.made_at },
      { title: 'bytes', of: (one: Backup) => one.bytes },
      { title: 'message', of: (one: Backup) => one.message },
    ]
    return context.list(flags, (await client.listBackups()).backups, columns, 'There is no backup yet.')
  }
  let now = await client.makeBackup({ body: flags.name === undefined ? {} : { name: flags.name } })
  const { name } = now
  while (now.state === 'running') {
    await pause(ASK_AGAIN_MS, undefined, { signal: context.world.signal })
    const found = (await client.listBackups()).backups.find((one) => one.name === name)
    if (found === undefined) throw new CommandError(`the backup ${name} is gone`)
    now = found
  }
  if (now.state === 'failed') throw new CommandError(`the backup ${name} failed: ${now.message}`)
  context.print(flags, now, ({ made_at, bytes }) => `${name}: the state of ${made_at}, ${bytes} bytes.`)
}

export interface LocalFlags {
  readonly json?: boolean | undefined
}

export async function verify(context: Context, flags: LocalFlags, path: string): Promise<void> {
  const report = await verifyDataDir(path)
  context.print(flags, report, ({ problems, backupOf, jobs, events, leftOver }) => {
    const found = problems.map(({ file, table, key, what }) => {
      return `${[file, table, key].filter((part) => part !== '').join(' ')}: ${what}`
    })
    const kind = backupOf === null ? [] : [`A backup of ${backupOf}.`]
    const left = leftOver === 0 ? [] : [`${leftOver} more events are of deleted jobs; the next start deletes them.`]
    const result = problems.length === 0 ? 'No problems' : counted(problems.length, 'problem')
    return [...found, ...kind, `${result}: ${counted(jobs, 'job')}, ${counted(events, 'event')}.`, ...left].join('\n')
  })
  if (report.problems.length > 0) throw new CommandError(`${path} has problems`)
}

export async function restore(context: Context, flags: LocalFlags, from: string, to: string): Promise<void> {
  const { madeAt, files } = restoreBackup(from, to)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const report = { made_at: madeAt, files: files.length, bytes, data_dir: resolve(to) }
  context.print(flags, report, () => {
    const what = `Restored the backup of ${madeAt}: ${files.length} files, ${bytes} bytes.`
    return `${what}\nStart it: decide serve --data-dir ${to}`
  })
}
