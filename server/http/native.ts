/**
 * uWebSockets.js as it is: the published types leave out the listen overload with host and options, and call a plain
 * number an enum.
 */
import * as native from 'uWebSockets.js'
import type { HttpRequest, HttpResponse, us_listen_socket } from 'uWebSockets.js'
import type { TlsFiles } from './tls.js'

export type { HttpRequest, HttpResponse, us_listen_socket }

type Handler = (res: HttpResponse, req: HttpRequest) => void

export interface TemplatedApp {
  get(pattern: string, handler: Handler): TemplatedApp
  post(pattern: string, handler: Handler): TemplatedApp
  /** Methods without a handler of their own. */
  any(pattern: string, handler: Handler): TemplatedApp
  listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): TemplatedApp
  close(): TemplatedApp
}

export const App = native.App as unknown as () => TemplatedApp

/** An app that speaks TLS. @throws Error where the files do not serve. */
export function SSLApp({ certFile, keyFile, passphrase }: TlsFiles): TemplatedApp {
  const options = {
    cert_file_name: certFile,
    key_file_name: keyFile,
    ...(passphrase === undefined ? {} : { passphrase }),
  }
  return native.SSLApp(options) as unknown as TemplatedApp
}

/** The kernel shares the port with others that ask for the same. */
export const LIBUS_LISTEN_DEFAULT = 0
export const LIBUS_LISTEN_EXCLUSIVE_PORT = 1
export const { us_listen_socket_close, us_socket_local_port } = native
