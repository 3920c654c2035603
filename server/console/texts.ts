/**
 * The interface's texts, all of them in texts.json, so that they can be translated.
 *
 * 1. The build leaves out of the first scripts what only parts show that are loaded late (deploy/build-console.mjs).
 *    It comes with these parts (parts/late.tsx).
 */
import first from './texts.json'

export { confidenceText, percent, share, threshold } from './percentages.js'

export type TextKey = keyof typeof first
/** Keys of texts with a number: `<key>.one` and `<key>.other` are both there. */
type CountKey = TextKey extends infer K ? (K extends `${infer Stem}.one` ? Stem : never) : never

export const language = 'en'
const plurals = new Intl.PluralRules(language)
const numbers = new Intl.NumberFormat(language)
const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })

let texts: Readonly<Record<string, string>> = first

/** Takes in the texts that the first scripts do not have. */
export function addTexts(late: Readonly<Record<string, string>>): void {
  texts = { ...texts, ...late }
}

/** The text, with `{name}` replaced by its value. */
export function t(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? numbers.format(value) : value
  })
}

/** The text for a number of things: `{n}` is the number. */
export function count(key: CountKey, n: number, values: Readonly<Record<string, string | number>> = {}): string {
  return t(`${key}.${plurals.select(n) === 'one' ? 'one' : 'other'}` as TextKey, { ...values, n })
}

/** The text with a capital at its beginning. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A reason of the service as a sentence; '' for none. */
export function sentence(text: string): string {
  return text === '' ? '' : `${capitalized(text)}.`
}

export function number(n: number): string {
  return numbers.format(n)
}

/** 41.2K for 41,203. */
export function shortNumber(n: number): string {
  return compact.format(n)
}

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `4 min. ago`; in the reader's language, to the largest unit. */
export function ago(ms: number, nowMs: number): string {
  const seconds = Math.round((ms - nowMs) / 1000)
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  return t('time.now')
}
