/** What a person likes, kept in this browser: the theme, keys, the latest job. Nothing secret is kept here. */
import { effect, signal } from '@preact/signals'

/** For which events of Next the answers of others are hidden until the person has answered. */
export type Hides = 'drawn' | 'always' | 'never'

export interface Preferences {
  readonly theme: 'auto' | 'light' | 'dark'
  /** In which zone times are shown. */
  readonly zone: 'local' | 'utc'
  /** The job that was looked at last. */
  readonly jobId: number | null
  /** Keys that the person changed, by the id of the command. */
  readonly keys: Readonly<Record<string, string>>
  /** Fields shown as columns of events, by job. */
  readonly columns: Readonly<Record<string, readonly string[]>>
  readonly hides: Hides
}

const STORED = 'preferences'

/** What is stored under a name; the fallback where it is absent or damaged. */
export function stored<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(name)
    return text === null ? fallback : (JSON.parse(text) as T)
  } catch {
    return fallback
  }
}

/** Stores a value; undefined: nothing more. False if the storage is full or forbidden: it is forgotten with the tab. */
export function store(name: string, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

const defaults: Preferences = { theme: 'auto', zone: 'local', jobId: null, keys: {}, columns: {}, hides: 'drawn' }

export const preferences = signal<Preferences>({ ...defaults, ...stored<Partial<Preferences>>(STORED, {}) })

export function prefer(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change }
}

effect(() => {
  const { value } = preferences
  store(STORED, value)
  document.documentElement.dataset.theme = value.theme
})
