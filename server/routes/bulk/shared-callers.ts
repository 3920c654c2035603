/**
 * What several threads of HTTP count together of the streams of each caller, so that shares and bounds are one over all
 * of them. Each number is in shared memory, alone in its array.
 */
export interface SharedCallers {
  /** Callers with lines under way. */
  readonly owners: Int32Array
  /** Bytes of all streams that wait. */
  readonly held: Int32Array
  /** Streams of the caller with lines under way. */
  streamsOf(owner: string): Int32Array
  /** Bytes of the caller's streams that wait. */
  heldOf(owner: string): Int32Array
}
