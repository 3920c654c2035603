/** Percentages as people read them: what is not quite all or nothing is not called so. */

/** 0 to 100, without decimals where there are none to see. What is not quite all or nothing is not called so. */
export function percent(value: number): string {
  if (value > 99 && value < 100) return '>99 %'
  if (value > 0 && value < 1) return '<1 %'
  return `${Math.round(value)} %`
}

/**
 * A confidence, 0 to 100. What is shown is on the same side of a number as the confidence itself: a filter for those
 * below 80 finds what is shown as 79.6. It has two decimals at most.
 */
export function confidenceText(value: number): string {
  if (value > 99 && value < 100) return '>99 %'
  return `${Math.floor(Math.round(value * 100) / 10) / 10} %`
}

/** A limit as it was set: 99.5 is neither 99 nor 100. */
export function threshold(value: number): string {
  return `${Math.round(value * 100) / 100} %`
}

/** A share of 1 with a decimal, as a percentage. */
export function share(value: number): string {
  if (value > 0.999 && value < 1) return '>99.9 %'
  if (value > 0 && value < 0.001) return '<0.1 %'
  return `${(Math.round(value * 1000) / 10).toFixed(1)} %`
}
