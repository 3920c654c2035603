/** The share of every answer that is spread evenly over all labels: what few examples cannot know. */
/** The uniform share before any example. */
const uniformShareMax = 0.3

/** The uniform share of answers after N examples, 0.3 K / (N + K): what few labels cannot know. */
export function uniformShareOf(examples: number, labelCount: number): number {
  return (uniformShareMax * labelCount) / (examples + labelCount)
}

/** Fills the probabilities of the labels from those of the classes, `answer` from `at` on, and the uniform share. */
export function spread(
  { labels, uniformShare }: { readonly labels: Int32Array; readonly uniformShare: number },
  answer: Float64Array,
  at: number,
  probabilities: Float64Array,
): void {
  probabilities.fill(uniformShare / probabilities.length)
  for (let k = 0; k < labels.length; k++) {
    const label = labels[k] as number
    probabilities[label] = (probabilities[label] as number) + (1 - uniformShare) * (answer[at + k] as number)
  }
}
