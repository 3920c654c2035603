/** The shape of a setting, and the forms of values that several settings share. The table is in config.ts. */
import { isIP } from 'node:net'
import { z } from 'zod'

export interface Setting {
  readonly name: string
  readonly schema: z.ZodType<unknown, string>
  /** The default as text; absent if there is none. */
  readonly fallback?: string
  readonly meaning: string
  readonly secret?: boolean
}

export function integer(lowest: number, highest: number) {
  const words = `must be a whole number from ${lowest} to ${highest}`
  return z
    .string()
    .regex(/^\d{1,9}$/, words)
    .transform(Number)
    .refine((value) => value >= lowest && value <= highest, words)
}

export const flag = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(['true', 'false', '1', '0'], 'must be true or false'))
  .transform((text) => text === 'true' || text === '1')

export const text = z.string().min(1, 'must not be empty')

/** Used in header names and field names. */
export const identifier = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,31}$/i, 'must be a letter and at most 31 letters, digits, - and _')

/** Sent in a header. */
export const key = z
  .string()
  .regex(/^[\x21-\x7e]{16,512}$/, 'must be 16 to 512 visible ASCII characters without spaces')

export const password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(512, 'must have at most 512 characters')

function isHost(entry: string): boolean {
  const [address = '', prefix] = entry.split('/')
  const family = isIP(address)
  if (family === 0) return prefix === undefined && /^[a-z0-9_.-]+$/i.test(entry)
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
}

export const hosts = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  )
  .refine((entries) => entries.every(isHost), 'must be names, addresses or networks, separated by commas')

export const httpLibrary = z.enum(['auto', 'node'], 'must be auto or node')

export const seconds = integer(1, 3_600)

/** A text that may be empty. */
export const anyText = z.string()
