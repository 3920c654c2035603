/**
 * Which form of error a client asks for (RFC 9110, 12.5.1): the ordinary one, or RFC 9457 (S2).
 *
 * `application/problem+json` is sent if `Accept` names it with a weight above 0 that is at least the weight of
 * `application/json`. The narrowest range that covers `application/json` gives its weight. A wildcard alone does not
 * ask for `application/problem+json`.
 */

const PROBLEM = 'application/problem+json'
/** Ranges that cover application/json, narrowest first. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'] as const

/** The weight, 0 to 1; an invalid weight counts as 1. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name, value] = parameter.split('=', 2)
    if (name!.trim().toLowerCase() !== 'q' || value === undefined) continue
    const weight = Number(value.trim())
    return Number.isFinite(weight) ? Math.min(1, Math.max(0, weight)) : 1
  }
  return 1
}

/** True if the header `Accept` asks for RFC 9457 errors. */
export function asksForProblem(accept: string): boolean {
  // Nearly every request returns here.
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
