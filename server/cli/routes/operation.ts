/** Commands for operators. */
import { buildRouteMap } from '@stricli/core'
import { command } from '../command.js'
import { flag, json, number, optionalPlace, place, service, text } from '../flags.js'

const load = () => import('../commands/backup.js')

const backup = command({
  load: async () => (await load()).backup,
  docs: {
    brief: 'Back up a service while it runs, or a data directory',
    fullDescription:
      'The service writes the backup where SERVICE_BACKUP_DIR says. With --data-dir this command writes it, into a ' +
      'directory that you name; it needs no key then.',
  },
  parameters: {
    flags: {
      ...service,
      name: text('Name of the backup; default: the time', 'name'),
      list: flag('List the backups that there are'),
      dataDir: text('Back up this data directory from here, whether its service runs or not', 'dir'),
      withoutKey: flag('Leave out the key that seals secrets; with --data-dir'),
    },
    positional: { kind: 'tuple', parameters: [optionalPlace('Directory of the backup, with --data-dir', 'dir')] },
  },
})

const verify = command({
  load: async () => (await load()).verify,
  docs: { brief: 'Check a backup, or a data directory that no service uses' },
  parameters: { flags: { json }, positional: { kind: 'tuple', parameters: [place('Its directory', 'dir')] } },
})

const restore = command({
  load: async () => (await load()).restore,
  docs: { brief: 'Restore a backup into a new data directory' },
  parameters: {
    flags: { json },
    positional: {
      kind: 'tuple',
      parameters: [place('Directory of the backup', 'backup'), place('The new data directory', 'dir')],
    },
  },
})

const list = command({
  load: async () => (await import('../commands/audit.js')).listAudit,
  docs: { brief: 'List who changed what and when' },
  parameters: {
    flags: {
      ...service,
      user: text('The key, user or analyst that acted', 'name'),
      action: text('One or more actions, separated by commas', 'action'),
      since: text('At this time or later', 'time'),
      until: text('Before this time', 'time'),
      search: text('Text to find in any value', 'text'),
      limit: number('Entries at most', 20, [1, 10_000]),
    },
    aliases: { n: 'limit' },
  },
})

const verifyAudit = command({
  load: async () => (await import('../commands/audit.js')).verifyAudit,
  docs: { brief: 'Prove that the audit log is unchanged' },
  parameters: {
    flags: {
      ...service,
      dataDir: text('Check this data directory, which no service uses', 'dir'),
      head: text('What an earlier check has printed: the log must still have that entry', 'n:hash'),
    },
  },
})

const audit = buildRouteMap({
  routes: { list, verify: verifyAudit },
  defaultCommand: 'list',
  docs: { brief: 'The audit log, and its proof' },
})

const mcp = command({
  load: async () => (await import('../commands/mcp.js')).mcp,
  docs: {
    brief: 'Tools for agents, over standard input and output',
    fullDescription: 'A client of the Model Context Protocol starts it. What the key may do is what the tools may do.',
  },
  parameters: { flags: { profile: service.profile, url: service.url } },
})

const completion = command({
  load: async () => (await import('../commands/completion.js')).completion,
  docs: {
    brief: 'Print the script that completes commands in a shell',
    fullDescription: 'bash: source <(decide completion bash). fish: decide completion fish | source',
  },
  parameters: {
    flags: {},
    positional: { kind: 'tuple', parameters: [place('bash, zsh or fish', 'shell')] },
  },
})

export const operationRoutes = { backup, verify, restore, audit, mcp, completion }
