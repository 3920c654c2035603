/**
 * Signatures of webhooks by a shared secret: HMAC-SHA256 over the body as it came, in hexadecimal, with or without
 * `sha256=` before it. GitHub, Gitea and many others sign so.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The header in which GitHub sends it. */
export const SIGNATURE_HEADER = 'x-hub-signature-256'

/** True if the signature is of this body. */
export function isSigned(body: Uint8Array, signature: string, secret: string): boolean {
  const given = Buffer.from(signature.trim().replace(/^sha256=/i, ''), 'hex')
  const right = createHmac('sha256', secret).update(body).digest()
  return given.length === right.length && timingSafeEqual(given, right)
}
