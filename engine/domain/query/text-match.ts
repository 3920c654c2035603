/**
 * Texts as words, and patterns for texts.
 *
 * Words follow the rule of Unicode for word boundaries (UAX 29), as far as it matters in alerts. A word consists of
 * letters, digits and underscores, in lower case. A dot or an apostrophe joins two letters or two digits, a comma two
 * digits, a colon two letters. So `10.0.0.7` and `example.com` are words, and `web-1` is two.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { TextBudget } from './text-budget.js'

const WORD =
  /[\p{L}\p{M}\p{N}_]+(?:(?:(?<=\p{N})[.,'](?=\p{N})|(?<=[\p{L}\p{M}_])[.':](?=\p{L}))[\p{L}\p{M}\p{N}_]+)*/gu

/** The words of a text, in order. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}

/** True if `words` contains `phrase` without gaps. With `prefix`, its last word may be the beginning of a word. */
export function holdsPhrase(words: readonly string[], phrase: readonly string[], prefix: boolean): boolean {
  const last = phrase.length - 1
  for (let from = 0; from + phrase.length <= words.length; from++) {
    let at = 0
    while (at < last && words[from + at] === phrase[at]) at++
    if (at !== last) continue
    const [word, wanted] = [words[from + last] as string, phrase[last] as string]
    if (prefix ? word.startsWith(wanted) : word === wanted) return true
  }
  return false
}

/**
 * A test for texts that match a pattern as a whole. `*` matches any text, `?` one character, and a backslash makes the
 * next character literal. Time is at most proportional to the product of the lengths of pattern and text.
 * @throws Refusal query_too_large.
 */
export function patternTest(pattern: string, ignoreCase: boolean, textBudget: TextBudget): (text: string) => boolean {
  const wanted: string[] = []
  const escaped: boolean[] = []
  if (pattern.length > limits.queryPatternMax)
    throw new Refusal('query_too_large', `a pattern has at most ${limits.queryPatternMax} characters`)
  const characters = [...(ignoreCase ? pattern.toLowerCase() : pattern)]
  for (let i = 0; i < characters.length; i++) {
    const quoted = characters[i] === '\\' && i + 1 < characters.length
    if (quoted) i++
    wanted.push(characters[i] as string)
    escaped.push(quoted)
  }
  const star = (at: number): boolean => wanted[at] === '*' && escaped[at] === false
  const fits = (at: number, character: string): boolean =>
    (wanted[at] === '?' && escaped[at] === false) || wanted[at] === character
  return (text) => {
    const given = [...(ignoreCase ? text.toLowerCase() : text)]
    let [at, from, lastStar, retry] = [0, 0, -1, 0]
    textBudget.spend(given.length)
    while (from < given.length) {
      if (at < wanted.length && star(at)) {
        lastStar = at++
        retry = from
      } else if (at < wanted.length && fits(at, given[from] as string)) {
        at++
        from++
      } else if (lastStar >= 0) {
        textBudget.spend(from - retry)
        at = lastStar + 1
        from = ++retry
      } else return false
    }
    while (at < wanted.length && star(at)) at++
    return at === wanted.length
  }
}
