/**
 * `decide init`: writes a profile, after the service has said what its key may do.
 *
 * The key comes from a file, the environment, the file that the first start of a service left, or from whoever types
 * it. It is never an argument.
 */
import { readFileSync } from 'node:fs'
import { createClient } from '../../client/index.js'
import type { Context } from '../context.js'
import { CommandError, UsageError } from '../failure.js'
import { DEFAULT_PROFILE } from '../profile.js'
import { Prompt } from '../terminal/ask.js'

export interface InitFlags {
  readonly json?: boolean | undefined
  readonly url?: string | undefined
  readonly profile?: string | undefined
  readonly keyFile?: string | undefined
  readonly dataDir?: string | undefined
  readonly user?: string | undefined
}

const USUAL_URL = 'http://127.0.0.1:8080'

/** The key that is in a file, or null where the flags name none. */
async function keyFromFile({ keyFile, dataDir }: InitFlags): Promise<string | null> {
  if (keyFile !== undefined && dataDir !== undefined) throw new UsageError('give --key-file or --data-dir, not both')
  if (keyFile !== undefined) return readFileSync(keyFile, 'utf8').trim()
  if (dataDir === undefined) return null
  const { firstStartPath, readFirstStart } = await import('../../../engine/index.js')
  const { managementKey } = readFirstStart(dataDir)
  if (managementKey === null)
    throw new CommandError(`${firstStartPath(dataDir)} has no management key: it was set from outside`)
  return managementKey
}

async function keyFor(flags: InitFlags, url: string, prompt: Prompt): Promise<string> {
  if (flags.user === undefined) return prompt.askSecret('Key')
  const password = await prompt.askSecret(`Password of ${flags.user}`)
  const client = createClient({ baseUrl: url })
  return (await client.issueToken({ body: { username: flags.user, password } })).api_token
}

function checkUrl(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError('the address must begin with http:// or https://')
  const { username, password } = new URL(url)
  if (username !== '' || password !== '') throw new UsageError('the address must not have a password in it')
  return url.replace(/\/+$/, '')
}

export async function init(context: Context, flags: InitFlags): Promise<void> {
  const { env } = context.world
  const profiles = context.profiles()
  const name = flags.profile ?? DEFAULT_PROFILE
  const before = profiles.get(name)
  const given = (await keyFromFile(flags)) ?? (flags.user === undefined ? env.DECIDE_KEY : undefined)
  const address = flags.url ?? env.DECIDE_URL
  const needsAnswers = address === undefined || given === undefined
  const prompt = needsAnswers ? new Prompt(context.world) : null
  try {
    const url = checkUrl(address ?? (await prompt!.ask('Address of the service', before?.url ?? USUAL_URL)))
    const key = given ?? (await keyFor(flags, url, prompt!))
    if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('the key must be of printable characters, without blanks')
    const scopes = await createClient({ baseUrl: url, key, retries: 1 }).getScopes()
    profiles.set(name, { url, key }, flags.profile === undefined)
    const report = { profile: name, url, file: profiles.path, scopes }
    context.print(flags, report, () => {
      return `The profile ${name} is in ${profiles.path}. Its key has ${scopes.length} scopes.\nNext: decide jobs`
    })
  } finally {
    prompt?.close()
  }
}
