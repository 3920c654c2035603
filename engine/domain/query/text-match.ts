/**
 * Texts: as words, as patterns.
 *
 * Words are what Unicode's rule for word boundaries makes of the text (UAX 29, the parts of it that matter in alerts), in
 * lower case: letters, digits and underscores; a dot or an apostrophe joins two letters or two digits, a comma two digits,
 * a colon two letters. So `10.0.0.7` and `example.com` are words, `web-1` is two.
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

/** True where `words` holds `phrase` in one piece; the last word of it as a beginning where `prefix`. */
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
 * A test for texts that a pattern covers whole: `*` stands for any text, `?` for one character, a backslash takes the next
 * character as it is. Takes time in proportion to the product of pattern and text at most.
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
