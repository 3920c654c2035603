/**
 * The types of uWebSockets.js, corrected: the published ones lack the listen overload with host and options, and
 * declare a plain number as an enum.
 */
import * as native from 'uWebSockets.js'
import type { HttpRequest, HttpResponse, us_listen_socket } from 'uWebSockets.js'
import type { TlsFiles } from './tls.js'

export type { HttpRequest, HttpResponse, us_listen_socket }

type Handler = (res: HttpResponse, req: HttpRequest) => void

export interface TemplatedApp {
  get(pattern: string, handler: Handler): TemplatedApp
  post(pattern: string, handler: Handler): TemplatedApp
  /** For methods without a handler of their own. */
  any(pattern: string, handler: Handler): TemplatedApp
  listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): TemplatedApp
  close(): TemplatedApp
}

export const App = native.App as unknown as () => TemplatedApp

/** An app with TLS. @throws Error if the files are invalid. */
export function SSLApp({ certFile, keyFile, passphrase }: TlsFiles): TemplatedApp {
  const options = {
    cert_file_name: certFile,
    key_file_name: keyFile,
    ...(passphrase === undefined ? {} : { passphrase }),
  }
  return native.SSLApp(options) as unknown as TemplatedApp
}

/** The kernel shares the port with other processes that use this option. */
export const LIBUS_LISTEN_DEFAULT = 0
export const LIBUS_LISTEN_EXCLUSIVE_PORT = 1
export const { us_listen_socket_close, us_socket_local_port } = native
