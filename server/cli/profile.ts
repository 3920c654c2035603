/**
 * The profile file: addresses of services, and the key for each. It is readable by its owner alone, like the keys of
 * ssh; one that others may read is refused.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandError } from './failure.js'
import type { EnvironmentVariables } from './world.js'

export interface Profile {
  readonly url: string
  /** A key or a token. */
  readonly key?: string | undefined
}

interface Content {
  default?: string
  profiles: Record<string, Profile>
}

export const DEFAULT_PROFILE = 'default'

/** Where the file is: DECIDE_CONFIG, or the place that the system has for configuration. */
export function profilePath(env: EnvironmentVariables): string {
  if (env.DECIDE_CONFIG !== undefined && env.DECIDE_CONFIG !== '') return env.DECIDE_CONFIG
  const home = process.platform === 'win32' ? env.APPDATA : env.XDG_CONFIG_HOME
  return join(home ?? join(homedir(), '.config'), 'decide', 'profiles.json')
}

function isContent(value: unknown): value is Content {
  const { profiles } = Object(value) as { profiles?: unknown }
  if (profiles === null || typeof profiles !== 'object') return false
  return Object.values(profiles).every((one) => typeof (one as Profile | null)?.url === 'string')
}

export class ProfileFile {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** The profile of that name; without one the default. */
  get(name?: string): Profile | undefined {
    const { default: usual = DEFAULT_PROFILE, profiles } = this.#read()
    const wanted = name ?? usual
    return Object.hasOwn(profiles, wanted) ? profiles[wanted] : undefined
  }

  /** Writes a profile. The first one, and one that is asked for, is the default. */
  set(name: string, profile: Profile, isDefault: boolean): void {
    const content = this.#read()
    const profiles = { ...content.profiles, [name]: profile }
    const usual = isDefault || content.default === undefined ? name : content.default
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    const draft = `${this.path}.${process.pid}`
    try {
      writeFileSync(draft, `${JSON.stringify({ default: usual, profiles }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
      chmodSync(draft, 0o600)
      renameSync(draft, this.path)
    } catch (error) {
      rmSync(draft, { force: true })
      throw error
    }
  }

  #read(): Content {
    let text: string
    try {
      if (process.platform !== 'win32' && (statSync(this.path).mode & 0o077) !== 0)
        throw new CommandError(`the profile file ${this.path} can be read by others; run: chmod 600 ${this.path}`)
      text = readFileSync(this.path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} }
      throw error
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      // Reported below.
    }
    if (!isContent(value)) throw new CommandError(`the profile file ${this.path} is not valid; delete it and run init`)
    return value
  }
}
