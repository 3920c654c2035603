/**
 * The certificate and its key, looked at before uWebSockets.js gets them: it says no more than that they do not serve.
 *
 * uWebSockets.js itself speaks TLS 1.2 and newer, and nothing older.
 */
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

export interface TlsFiles {
  /** PEM; the service's certificate first, then those that vouch for it. */
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

/** @throws Error in one sentence where the files do not make a server. */
export function mustServe({ certFile, keyFile, passphrase }: TlsFiles): void {
  const [cert, key] = [read(certFile), read(keyFile)]
  try {
    createSecureContext({ cert, key, ...(passphrase === undefined ? {} : { passphrase }) })
  } catch (error) {
    throw new Error(`the certificate ${certFile} and the key ${keyFile} do not serve: ${(error as Error).message}`)
  }
}
