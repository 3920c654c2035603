/**
 * Which of two forms of an error a client asks for (RFC 9110, 12.5.1): ours, or RFC 9457 (S2).
 *
 * `application/problem+json` is sent where it is named with a weight above 0 and at least that of `application/json`,
 * which has the weight of the narrowest range that covers it. A wildcard alone asks for nothing in particular.
 */

const PROBLEM = 'application/problem+json'
/** Ranges that cover application/json, the narrowest first. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'] as const

/** 0 to 1; what is no weight counts as the whole. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name, value] = parameter.split('=', 2)
    if (name!.trim().toLowerCase() !== 'q' || value === undefined) continue
    const weight = Number(value.trim())
    return Number.isFinite(weight) ? Math.min(1, Math.max(0, weight)) : 1
  }
  return 1
}

/** True where the header `Accept` asks for errors as RFC 9457 has them. */
export function asksForProblem(accept: string): boolean {
  // Nearly every request ends here.
  if (accept === '' || accept === '*/*' || !/problem/i.test(accept)) return false
  const weights = new Map<string, number>()
  for (const range of accept.split(',')) {
    const [type, ...parameters] = range.split(';')
    weights.set(type!.trim().toLowerCase(), weightOf(parameters))
  }
  const problem = weights.get(PROBLEM) ?? 0
  const range = JSON_RANGES.find((each) => weights.has(each))
  return problem > 0 && problem >= (range === undefined ? 0 : weights.get(range)!)
}
