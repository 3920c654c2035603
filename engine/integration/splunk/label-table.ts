/** A value for each decision, as people write it: `Drop: 5, Escalate: 2`. */

/** The values by the name or id of a label, in small letters. */
export function labelTable(text: string): Map<string, string> {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf(':')
      return [pair.slice(0, Math.max(0, at)).trim().toLowerCase(), pair.slice(at + 1).trim()]
    }),
  )
}

/** Why a text is no such table, or null; `values`: those that may be in it. */
export function misfitTable(text: string, values: RegExp): string | null {
  for (const [label, value] of labelTable(text)) {
    if (label === '') return 'must be decisions with values, such as Drop: 5, Escalate: 2'
    if (!values.test(value)) return `has a value that is not known: ${value.slice(0, 50)}`
  }
  return null
}
