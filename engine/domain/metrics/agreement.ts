/**
 * Agreement between analysts who voted on the same subjects: Krippendorff's alpha for nominal data (Krippendorff 2011,
 * Computing Krippendorff's Alpha-Reliability).
 *
 * Let o_ck be the coincidences of labels c and k. Each ordered pair of votes by two analysts, on a subject with v
 * votes, adds 1 / (v - 1) to its place in o. Let n_c be the sum of row c, and n the sum of all. Then
 *
 *   `alpha = 1 - (n - 1) * (sum over c != k of o_ck) / (sum over c != k of n_c n_k)`
 *
 * 1 is perfect agreement, and 0 is chance. Alpha is null if no subject has two votes, and 1 if all votes name one
 * label.
 */

export class Agreement {
  readonly #labels: number
  readonly #coincidences: Float64Array
  #subjects = 0
  #unanimous = 0

  constructor(labelCount: number) {
    this.#labels = labelCount
    this.#coincidences = new Float64Array(labelCount * labelCount)
  }

  /** Adds a subject, by label the number of analysts whose latest vote names it. */
  add(counts: readonly number[]): void {
    const votes = counts.reduce((all, one) => all + one, 0)
    if (votes < 2) return
    this.#subjects++
    if (counts.includes(votes)) this.#unanimous++
    for (let c = 0; c < this.#labels; c++) {
      for (let k = 0; k < this.#labels; k++) {
        const pairs = (counts[c] as number) * ((counts[k] as number) - Number(c === k))
        this.#coincidences[c * this.#labels + k]! += pairs / (votes - 1)
      }
    }
  }

  figures(): { readonly subjects: number; readonly unanimous: number; readonly alpha: number | null } {
    return { subjects: this.#subjects, unanimous: this.#unanimous, alpha: this.#alpha() }
  }

  #alpha(): number | null {
    if (this.#subjects === 0) return null
    const sums = Array.from({ length: this.#labels }, (_, c) => {
      return this.#coincidences.subarray(c * this.#labels, (c + 1) * this.#labels).reduce((all, one) => all + one, 0)
    })
    const n = sums.reduce((all, one) => all + one, 0)
    const expected = n * n - sums.reduce((all, one) => all + one * one, 0)
    if (expected === 0) return 1
    const observed = n - sums.reduce((all, _, c) => all + (this.#coincidences[c * this.#labels + c] as number), 0)
    return 1 - ((n - 1) * observed) / expected
  }
}
