/**
 * Checks the TLS certificate and its key before uWebSockets.js gets them, because its error does not say what is wrong.
 *
 * uWebSockets.js supports TLS 1.2 and newer.
 */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

export interface TlsFiles {
  /** PEM: the certificate of the service, then its chain. */
  readonly certFile: string
  /** PEM. */
  readonly keyFile: string
  readonly passphrase?: string | undefined
}

function read(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** @throws Error in one sentence if the files are missing or invalid. */
export function checkTlsFiles({ certFile, keyFile, passphrase }: TlsFiles): void {
  const [cert, key] = [read(certFile), read(keyFile)]
  try {
    createSecureContext({ cert, key, ...(passphrase === undefined ? {} : { passphrase }) })
  } catch (error) {
    throw new Error(`the certificate ${certFile} and the key ${keyFile} cannot be used: ${(error as Error).message}`)
  }
}
