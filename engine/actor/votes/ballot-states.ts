/**
 * The states of ballots: each is kept under its number, for the decisions that knew it
 * (domain/decide/decision-basis.ts).
 *
 * 1. The states of a subject go with its last event.
 */
import { encodeBallotState, type BallotRow } from '../../store/ballot-row.js'
import { stateKey, stateRange } from '../../store/tables.js'
import type { TurnStore } from '../turn-store.js'

export function keepState(store: TurnStore, jobId: number, subject: Uint8Array, row: BallotRow): void {
  store.put('states', stateKey(jobId, subject, row.state), encodeBallotState(row))
}

/** No event is left whose decision knew one. */
export function dropStates(store: TurnStore, jobId: number, subject: Uint8Array): void {
  for (const { key } of store.walk('states', stateRange(jobId, subject))) store.delete('states', key)
}
