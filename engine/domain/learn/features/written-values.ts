/**
 * Numbers and times that are written as texts, as many senders write everything.
 *
 * Owns: which texts these are, and how a point is read. A number is a plain decimal; with superfluous leading zeros it
 * is a name. A time is a date and a time of day in the order of ISO 8601, whatever follows. Only the time of day and
 * the weekday are read, as they recur. They are taken as written: an offset from UTC is not applied.
 * Leaves out: the features (features.ts, number-columns.ts, outlier-view.ts).
 *
 * 1. All texts of a point are read in one way. If more than one in twenty is neither, they are texts.
 * 2. Where a point has numbers as well, its texts are texts: the sender may mean the difference.
 */
import type { PointValue } from '../classifier.js'

/** How texts at a point are read. */
export const AS_TEXT = 0
export const AS_NUMBER = 1
export const AS_TIME = 2
export type Reading = typeof AS_TEXT | typeof AS_NUMBER | typeof AS_TIME

/** The share of a point's texts and numbers that has to be texts of one kind. */
const sureShare = 0.95
/** Digits that a double keeps. */
const numberCharsMax = 16
const timeCharsMin = 16

const ZERO = 48
const MINUTES_OF_DAY = 1_440

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - ZERO
  return digit >= 0 && digit <= 9 ? digit : NaN
}

function twoDigits(text: string, at: number): number {
  return digitAt(text, at) * 10 + digitAt(text, at + 1)
}

/** The number in a text, or NaN: digits, one point between them or none, a minus or none. */
export function writtenNumber(text: string): number {
  const length = text.length
  const first = text.charCodeAt(0) === 45 ? 1 : 0
  if (length <= first || length > numberCharsMax) return NaN
  let point = -1
  for (let i = first; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === 46 && point < 0) point = i
    else if (code < ZERO || code > 57) return NaN
  }
  if (point === first || point === length - 1) return NaN
  if (text.charCodeAt(first) === ZERO && length > first + 1 && point !== first + 1) return NaN
  return Number(text)
}

/** The time in a text as minutes since Monday 0:00, or NaN. */
export function writtenTime(text: string): number {
  if (text.length < timeCharsMin) return NaN
  const between = text.charCodeAt(4)
  const middle = text.charCodeAt(10)
  if ((between !== 45 && between !== 47) || text.charCodeAt(7) !== between || text.charCodeAt(13) !== 58) return NaN
  if (middle !== 84 && middle !== 116 && middle !== 32) return NaN
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  const minutes = twoDigits(text, 11) * 60 + twoDigits(text, 14)
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= 31 && minutes < MINUTES_OF_DAY && year >= 0)) return NaN
  return weekday(year, month, day) * MINUTES_OF_DAY + minutes
}

/** 0 for Monday, by Zeller's congruence. */
function weekday(year: number, month: number, day: number): number {
  const early = month < 3 ? 1 : 0
  const y = year - early
  const m = month + 12 * early
  const days = day + Math.floor((13 * (m + 1)) / 5) + y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400)
  return (days + 5) % 7
}

/** The hour of a time from writtenTime, 0 to 23. */
export function hourOf(time: number): number {
  return Math.floor((time % MINUTES_OF_DAY) / 60)
}

/** Its weekday, 0 for Monday. */
export function weekdayOf(time: number): number {
  return Math.floor(time / MINUTES_OF_DAY)
}

/** The number in a value where texts are read in this way, or NaN. */
export function numberIn(value: PointValue, reading: Reading): number {
  if (typeof value === 'number') return value
  return reading === AS_NUMBER && typeof value === 'string' ? writtenNumber(value) : NaN
}

/** The time in a value where texts are read in this way, or NaN. */
export function timeIn(value: PointValue, reading: Reading): number {
  return reading === AS_TIME && typeof value === 'string' ? writtenTime(value) : NaN
}

/** Chooses how the texts of a point are read, from its values one by one. */
export class ReadingChoice {
  #seen = 0
  #numbers = 0
  #times = 0

  see(value: PointValue): void {
    if (typeof value !== 'string' && typeof value !== 'number') return
    this.#seen++
    if (typeof value === 'number') return
    if (!Number.isNaN(writtenNumber(value))) this.#numbers++
    else if (!Number.isNaN(writtenTime(value))) this.#times++
  }

  get reading(): Reading {
    const enough = sureShare * Math.max(1, this.#seen)
    if (this.#numbers >= enough) return AS_NUMBER
    return this.#times >= enough ? AS_TIME : AS_TEXT
  }
}
