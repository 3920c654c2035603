/** How commands say what they count, and which event they mean. */

/** `1 event`, `2,000 events`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

/** Values at the decision points, each as its name and the value. */
export function pointTexts(points: Readonly<Record<string, unknown>>, between: string): string[] {
  return Object.entries(points).map(([name, value]) => {
    return `${name}${between}${typeof value === 'string' ? value : JSON.stringify(value)}`
  })
}

/** The values at an event's decision points, in one line. */
export function pointsOf({ decision_points }: { readonly decision_points: Readonly<Record<string, unknown>> }): string {
  return pointTexts(decision_points, '=').join(' ')
}
