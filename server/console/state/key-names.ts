/**
 * What a pressed key is called.
 *
 * 1. Keys are characters. On a layout whose character is none of ours (Cyrillic, Greek, the digits of AZERTY) the place
 *    of the key counts. Caps Lock changes nothing: only Shift makes a capital.
 */

/** What is said of a press. */
interface Pressed {
  readonly key: string
  readonly code: string
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
}

/** The character that stands at the place of the key on a keyboard of the United States; null: the key has its own. */
function signAtPlace({ key, code, shiftKey }: Pressed): string | null {
  if (key.length !== 1 || /[a-z0-9]/i.test(key)) return null
  const [, named, digit] = /^(?:Key([A-Z])|Digit([0-9]))$/.exec(code) ?? []
  // A character of another alphabet. Signs that stand where we have A to Z are signs.
  if (named !== undefined) return /\p{L}/u.test(key) ? named.toLowerCase() : null
  return digit !== undefined && !shiftKey ? digit : null
}

/** The name of the pressed key: `j`, `X`, `mod-k`, `Enter`. `isOurs`: whether a character has a meaning as it is. */
export function nameOf(event: Pressed, isOurs: (name: string) => boolean = () => false): string {
  const isMod = event.ctrlKey || event.metaKey
  const own = cased(event.key, event.shiftKey && !isMod)
  const named = (sign: string): string => (isMod ? `mod-${sign}` : sign)
  if (isOurs(named(own))) return named(own)
  return named(cased(signAtPlace(event) ?? own, event.shiftKey && !isMod))
}

/** A character as Shift makes it, whatever Caps Lock says. */
function cased(sign: string, isShifted: boolean): string {
  if (sign.length !== 1) return sign
  return isShifted ? sign.toUpperCase() : sign.toLowerCase()
}
