/** Bounds of what streams take and hold (thread-rounds.ts). */
const MIB = 1024 * 1024

export const roundLimits = {
  /** Lines that all streams together take in a round, and that one of them takes. */
  linesMax: 2_048,
  shareLinesMax: 1_024,
  /** When this much has arrived in a round, the sockets of all streams are paused. */
  bytesMax: 16 * MIB,
  /** A stream may bring this much in a round: what the kernel has buffered, and what follows while it is read. */
  burstBytesMax: 96 * MIB,
  /** Bytes that wait, of all streams and of those of one caller. */
  heldBytesMax: 224 * MIB,
  callerHeldBytesMax: 144 * MIB,
  /** Above this no stream is read: bytes of all streams that wait, and of those of one caller. */
  heldToReadMax: 112 * MIB,
  callerHeldToReadMax: 16 * MIB,
  /** The second bound for streams that bring little: less than `littleBytes` in each of their last two rounds. */
  littleHeldToReadMax: 32 * MIB,
  littleBytes: 256 * 1024,
  /** Streams that bring little and are read in one round. */
  littleAtOnce: 16,
} as const
