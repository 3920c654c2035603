/** Flags and parsers that commands share. */
import { UsageError } from './failure.js'

export const asText = (input: string): string => input

export function wholeNumber(least: number, most: number): (input: string) => number {
  return (input) => {
    const value = Number(input)
    if (!/^\d{1,15}$/.test(input) || value < least || value > most)
      throw new UsageError(`must be a whole number from ${least} to ${most}`)
    return value
  }
}

export function numberBetween(least: number, most: number): (input: string) => number {
  return (input) => {
    const value = Number(input)
    if (input.trim() === '' || !(value > least && value < most))
      throw new UsageError(`must be a number above ${least} and below ${most}`)
    return value
  }
}

/** A text that may be left out. */
export function text(brief: string, placeholder: string) {
  return { kind: 'parsed', parse: asText, brief, placeholder, optional: true } as const
}

/** A flag that is off by default. */
export function flag(brief: string) {
  return { kind: 'boolean', brief, optional: true, withNegated: false } as const
}

export function number(brief: string, fallback: number, [least, most]: readonly [number, number]) {
  return {
    kind: 'parsed',
    parse: wholeNumber(least, most),
    brief,
    placeholder: 'n',
    default: String(fallback),
  } as const
}

export const json = flag('Print JSON')

export const service = {
  json,
  profile: text('Name of the profile (DECIDE_PROFILE)', 'name'),
  url: text('Address of the service (DECIDE_URL)', 'url'),
} as const

export function place(brief: string, placeholder: string) {
  return { brief, placeholder, parse: asText } as const
}

export function optionalPlace(brief: string, placeholder: string) {
  return { ...place(brief, placeholder), optional: true } as const
}

export const job = place('The id or the title of a job; --job names it as well', 'job')
export const event = place('The id of an event', 'event')
