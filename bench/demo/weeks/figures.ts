/** What the demo counts of one week, since it knows the truth. */
export interface WeekFigures {
  events: number
  settled: number
  /** Settled events whose true label is protected. */
  missed: number
  /** Of these: given back to people when the job stopped. */
  foundAgain: number
  protectedEvents: number
  clicks: number
  /** Events that a plain rule would have closed: the label to settle, with a confidence of 90 or more. */
  closable: number
  closableMissed: number
  /** Protected events from the first model on. */
  protectedDecided: number
  /** The bound that the open gate shows at the end of the week; null where none is open. */
  bound: number | null
}

export const noFigures = (): WeekFigures => ({
  events: 0,
  settled: 0,
  missed: 0,
  foundAgain: 0,
  protectedEvents: 0,
  clicks: 0,
  closable: 0,
  closableMissed: 0,
  protectedDecided: 0,
  bound: null,
})
