/**
 * The certificates that Amazon SNS signs messages with, and the rules for trusting one.
 *
 * 1. A certificate comes from an address of SNS in the region of the topic: https, `sns.<region>.amazonaws.com`, and
 *    the name that SNS gives its certificates.
 * 2. It is for SNS, and valid now. A chain leads from it to a root that this machine trusts: each certificate is signed
 *    by the next one, which is an authority. One that is missing is read from the address that the certificate names,
 *    at amazontrust.com alone.
 * 3. A trusted certificate is remembered for a day at most, and no longer than it is valid.
 */
import { X509Certificate, type KeyObject } from 'node:crypto'

const HOST = /^sns\.([a-z0-9-]{4,32})\.amazonaws\.com(?:\.cn)?$/
const PATH = /^\/SimpleNotificationService-[0-9a-f]{8,64}\.pem$/
/** Where Amazon keeps the certificates of its authorities. */
const AUTHORITY = /^http:\/\/(?:[a-z0-9-]+\.)+amazontrust\.com\/[\w./-]{1,128}$/
const CHAIN_MAX = 6
const DAY_MS = 86_400_000
const REMEMBERED_MAX = 32

export interface CertificateDeps {
  /** The bytes at an address. Rejects if there are none. */
  fetch(url: URL): Promise<Uint8Array>
  /** PEM of the trusted roots. */
  readonly roots: readonly string[]
  nowMs(): number
}

interface Remembered {
  readonly key: KeyObject
  readonly untilMs: number
}

/** The region of an address of SNS; null for any other address. */
export function regionOf(url: URL): string | null {
  if (url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') return null
  return HOST.exec(url.hostname)?.[1] ?? null
}

export class SnsCertificates {
  readonly #deps: CertificateDeps
  readonly #roots: readonly X509Certificate[]
  readonly #remembered = new Map<string, Remembered>()

  constructor(deps: CertificateDeps) {
    this.#deps = deps
    this.#roots = deps.roots.map((pem) => new X509Certificate(pem))
  }

  /** The key of the certificate at that address. @throws Error with a sentence if it may not be trusted. */
  async keyAt(address: string, region: string): Promise<KeyObject> {
    const known = this.#remembered.get(address)
    if (known !== undefined && known.untilMs > this.#deps.nowMs()) return known.key
    const url = URL.canParse(address) ? new URL(address) : null
    if (url === null || regionOf(url) !== region || !PATH.test(url.pathname) || url.search !== '')
      throw new Error('its certificate is not at an address of SNS in the region of the topic')
    const [leaf, ...rest] = certificatesIn(Buffer.from(await this.#deps.fetch(url)))
    if (leaf === undefined) throw new Error('there is no certificate at the address')
    if (leaf.checkHost('sns.amazonaws.com') === undefined && leaf.checkHost(url.hostname) === undefined)
      throw new Error('its certificate is not for SNS')
    await this.#mustLeadToRoot(leaf, rest)
    const untilMs = Math.min(this.#deps.nowMs() + DAY_MS, Date.parse(leaf.validTo))
    this.#remember(address, { key: leaf.publicKey, untilMs })
    return leaf.publicKey
  }

  async #mustLeadToRoot(leaf: X509Certificate, given: readonly X509Certificate[]): Promise<void> {
    let below = leaf
    for (let length = 0; length < CHAIN_MAX; length++) {
      this.#mustBeValid(below)
      if (this.#roots.some((root) => root.fingerprint256 === below.fingerprint256 || signs(root, below))) return
      const issuer = given.find((one) => signs(one, below)) ?? (await this.#issuerOf(below))
      if (issuer === null || !signs(issuer, below)) break
      below = issuer
    }
    throw new Error('its certificate leads to no root that this machine trusts')
  }

  #mustBeValid({ validFrom, validTo }: X509Certificate): void {
    const now = this.#deps.nowMs()
    if (Date.parse(validFrom) > now || Date.parse(validTo) < now) throw new Error('its certificate is not valid now')
  }

  /** The certificate of the authority that the certificate names, or null. */
  async #issuerOf({ infoAccess = '' }: X509Certificate): Promise<X509Certificate | null> {
    const address = /^CA Issuers - URI:(\S+)$/m.exec(infoAccess)?.[1] ?? ''
    if (!AUTHORITY.test(address)) return null
    return new X509Certificate(await this.#deps.fetch(new URL(address)))
  }

  #remember(address: string, entry: Remembered): void {
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear()
    this.#remembered.set(address, entry)
  }
}

/** True if the authority signed the certificate. */
function signs(authority: X509Certificate, certificate: X509Certificate): boolean {
  return authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
}

function certificatesIn(bytes: Buffer): X509Certificate[] {
  const pems = bytes.toString('latin1').match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  return pems.slice(0, CHAIN_MAX).map((pem) => new X509Certificate(pem))
}
