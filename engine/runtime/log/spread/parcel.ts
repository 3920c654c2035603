/**
 * A turn on its way to the owner of its shard, and its answer, as bytes.
 *
 * Owns: their layout. Leaves out: how they travel (jetstream/parcels.ts), what the owner does (turns-host.ts).
 *
 * 1. Bytes are of the structured clone algorithm, as between threads: a result may be any plain data.
 * 2. Messages are as in the memory of a turn (message.ts). The owner gives them their times.
 */
import { deserialize, serialize } from 'node:v8'
import type { Extra } from '../../../actor/reply.js'

const FORMAT = 2

export interface TurnParcel {
  readonly format: typeof FORMAT
  /** The process that has sent it. */
  readonly sender: string
  readonly shard: number
  /** For which time of owning the shard it is meant (owner-table.ts); none in older versions. */
  readonly since?: number | undefined
  /** Turns of a run go to one owner, one behind the other. A run ends with the first turn that was not run. */
  readonly run: number
  /** Its number in the run, from 0. */
  readonly at: number
  readonly count: number
  readonly messages: Uint8Array
  /** By job: the revision of the settings that the sender knows. */
  readonly revisions: readonly (readonly [job: number, revision: number])[]
  /** Sequence of the last record of the catalog that the sender knows. */
  readonly catalog: number
}

/**
 * `elsewhere`: nothing was run, because this node is not the owner, or an earlier turn was not run. `failed`: it may
 * take effect.
 */
export type TurnAnswer =
  | { readonly elsewhere: true }
  | { readonly failed: true }
  | {
      readonly replies: Uint8Array
      readonly extras: readonly Extra[]
      /** Of the last record that the owner has applied. */
      readonly sequence: number
    }

export function encodeParcel(parcel: Omit<TurnParcel, 'format'>): Buffer {
  return serialize({ format: FORMAT, ...parcel })
}

/** @throws Error where it is of a newer format. */
export function decodeParcel(bytes: Uint8Array): TurnParcel {
  const parcel = deserialize(bytes) as TurnParcel
  if (parcel.format !== FORMAT)
    throw new Error(`a turn came in format ${parcel.format}, and this version of the service reads ${FORMAT}`)
  return parcel
}

export function encodeAnswer(answer: TurnAnswer): Buffer {
  return serialize(answer)
}

export function decodeAnswer(bytes: Uint8Array): TurnAnswer {
  return deserialize(bytes) as TurnAnswer
}
