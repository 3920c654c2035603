/**
 * What a command has of the world: streams, environment, the client of the service. Tests give their own.
 *
 * 1. A key comes from the environment, a profile, a file or a terminal, never from an argument: arguments are seen by
 *    every user of the machine and kept in the history of shells.
 * 2. The key of a profile goes to the address of that profile alone.
 */
import { ApiError, createClient, type Client } from '../client/index.js'
import { Transport } from '../client/transport.js'
import { CommandError, UsageError } from './failure.js'
import { ProfileFile, profilePath, type Profile } from './profile.js'
import { cleanJson, cleanText } from './terminal/clean.js'
import { tableText, type Column } from './terminal/table.js'
import type { EnvironmentVariables, Stream, World } from './world.js'

/** Flags of every command that speaks to a service. */
export interface ServiceFlags {
  readonly json?: boolean | undefined
  readonly profile?: string | undefined
  readonly url?: string | undefined
}

/** Whether the output is JSON. */
type Printing = Pick<ServiceFlags, 'json'>

export interface Target extends Profile {
  readonly url: string
}

/** Where the terminal does not say how wide it is. */
const TERMINAL_COLUMNS = 100

export class Context {
  readonly world: World
  /** For the framework, which prints help and errors of usage. */
  readonly process: { stdout: Stream; stderr: Stream; env: EnvironmentVariables; exitCode?: number | string | null }

  constructor(world: World) {
    this.world = world
    const { stdout, stderr, env } = world
    this.process = { stdout, stderr, env }
  }

  /** The file of profiles. It is read when it is wanted. */
  profiles(): ProfileFile {
    return new ProfileFile(profilePath(this.world.env))
  }

  /** The service that is meant, and the key for it. @throws UsageError if nobody says which service. */
  target({ url, profile: name }: Omit<ServiceFlags, 'json'>): Target {
    const { env } = this.world
    const wanted = name ?? env.DECIDE_PROFILE
    const address = url ?? env.DECIDE_URL
    const known = wanted === undefined && address !== undefined && env.DECIDE_KEY !== undefined ? null : this.profiles()
    const profile = known?.get(wanted)
    if (wanted !== undefined && profile === undefined) throw new UsageError(`there is no profile ${wanted}`)
    const base = address ?? profile?.url
    if (base === undefined) throw new UsageError('no service is set up; run "decide init", or set DECIDE_URL')
    if (!URL.canParse(base)) throw new UsageError('the address of the service is not valid; begin it with http://')
    const isOwn = profile !== undefined && new URL(profile.url).origin === new URL(base).origin
    return { url: base, key: env.DECIDE_KEY ?? (isOwn ? profile.key : undefined) }
  }

  client(flags: ServiceFlags): Client {
    const { url, key } = this.target(flags)
    return createClient({ baseUrl: url, key })
  }

  /** What sends requests, for commands that send bytes. */
  transport(flags: ServiceFlags, fetch: typeof globalThis.fetch): Transport {
    const { url, key } = this.target(flags)
    return new Transport({ baseUrl: url, key, fetch })
  }

  /** Prints a value as JSON, or what `text` makes of it. */
  print<T>(flags: Printing, value: T, text: (value: T) => string): void {
    const { stdout } = this.world
    stdout.write(flags.json ? `${cleanJson(value, 2)}\n` : `${cleanText(text(value)).replace(/\n$/, '')}\n`)
  }

  /** Prints a list: JSON has the rows as they are. `none` is said where there are no rows. */
  list<T>(flags: Printing, rows: readonly T[], columns: readonly Column<T>[], none: string): void {
    const { stdout, stderr } = this.world
    if (flags.json) stdout.write(`${cleanJson(rows, 2)}\n`)
    else if (rows.length === 0) stderr.write(`${none}\n`)
    else stdout.write(tableText(columns, rows, this.width))
  }

  /** Prints one object a line, as JSON. */
  line(value: unknown): void {
    this.world.stdout.write(`${cleanJson(value)}\n`)
  }

  /** A note for people, which is not the result. */
  note(text: string): void {
    this.world.stderr.write(`${cleanText(text)}\n`)
  }

  /** The width of the terminal; null where the output is none. */
  get width(): number | null {
    const { isTTY, columns } = this.world.stdout
    return isTTY === true ? (columns ?? TERMINAL_COLUMNS) : null
  }
}

/** The id of a job that is named by id or by title. @throws CommandError where there is no such job. */
export async function jobIdOf(client: Client, job: string): Promise<number> {
  try {
    if (!/^[1-9]\d{0,14}$/.test(job)) return (await client.getJobByName({ body: { job_name: job } })).job_id
    await client.getManagedJob({ job_id: Number(job) }, { retries: 0 })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      throw new CommandError(`there is no job ${job}; "decide jobs list" shows the jobs`)
    // Who may not read jobs may send events to one. What else is wrong, the command itself says.
    if (!/^\d+$/.test(job)) throw error
  }
  return Number(job)
}
