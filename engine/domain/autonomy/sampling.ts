/**
 * Which events a gate hands to people instead of settling them (RFC 2104, FIPS 180-4).
 *
 * The choice hangs on the job's secret and the event's id alone. So it is the same when a message runs again and in a
 * replay, and a sender who does not know the secret cannot steer it.
 */
import { createHmac } from 'node:crypto'

/** 2^48: six bytes of the hash are a number that a double holds exactly. */
const range = 2 ** 48

/** The event's place between 0 (included) and 1, evenly spread over ids. `secret` has at least 16 bytes. */
export function sampleOf(secret: Uint8Array, eventId: string): number {
  return createHmac('sha256', secret).update(eventId).digest().readUIntBE(0, 6) / range
}

/** Whether the event is an audit at the hold-out rate ρ, 0 to 1. */
export function isHeldOut(secret: Uint8Array, eventId: string, rate: number): boolean {
  return sampleOf(secret, eventId) < rate
}
