/**
 * The commands and their flags. What a command does is loaded when it runs: help comes at once.
 *
 * The order is that of `decide --help`: to begin, events, learning, operation.
 */
import { buildApplication, buildRouteMap, type Application } from '@stricli/core'
import { command } from './command.js'
import type { Context } from './context.js'
import { exitCodeOf } from './failure.js'
import { jobsRoute } from './routes/jobs.js'
import { eventRoutes } from './routes/events.js'
import { learningRoutes } from './routes/learning.js'
import { operationRoutes } from './routes/operation.js'
import { flag, json, text, wholeNumber } from './flags.js'
import { texts } from './texts.js'

const init = command({
  load: async () => (await import('./commands/init.js')).init,
  docs: {
    brief: 'Write a profile: the address of a service and a key for it',
    fullDescription:
      'Asks for what is not given, and tries the key before it is kept. The key is never an argument: it comes from ' +
      'the terminal, standard input, DECIDE_KEY, --key-file, or the file that the first start of a service leaves in ' +
      'its data directory. The profile file is readable by you alone.',
  },
  parameters: {
    flags: {
      json,
      profile: text('Name of the profile; default: default', 'name'),
      url: text('Address of the service', 'url'),
      keyFile: text('File with the key', 'file'),
      dataDir: text('Data directory of a service whose first start left its key there', 'dir'),
      user: text('Sign in as this user, with a password, instead of a key', 'name'),
    },
  },
})

const serve = command({
  load: async () => (await import('./serve.js')).serve,
  docs: {
    brief: 'Run the service',
    fullDescription: 'Settings come from the environment, see: decision-service --help',
  },
  parameters: {
    flags: {
      config: text('File with settings', 'file'),
      port: {
        kind: 'parsed',
        parse: wholeNumber(0, 65_535),
        brief: 'Port; default: SERVICE_PORT, or 8080',
        placeholder: 'n',
        optional: true,
      },
      dataDir: text('Data directory; default: SERVICE_DATA_DIR, or ./data', 'dir'),
      acceptLoss: flag('Start although a file of the data directory is lost'),
    },
  },
})

/** The application. `version` is that of the package. */
export function makeApp(version: string): Application<Context> {
  const routes = { init, serve, ...eventRoutes, jobs: jobsRoute, ...learningRoutes, ...operationRoutes }
  const root = buildRouteMap({
    routes,
    docs: {
      brief: 'Command line of the decision service',
      fullDescription:
        'Works with any running service. "decide init" writes a profile; DECIDE_URL and DECIDE_KEY override it.\n' +
        'Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 75 try again later.',
    },
  })
  return buildApplication(root, {
    name: 'decide',
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: { caseStyle: 'convert-camel-to-kebab', onlyRequiredInUsageLine: true },
    localization: { text: texts },
    determineExitCode: exitCodeOf,
  })
}
