/**
 * Chooses the HTTP library: uWebSockets.js where it loads, else `node:http` (node-http/), which works everywhere and is
 * slower.
 *
 * uWebSockets.js is made for one version of Node.js, one system and one processor. `@uwsjs/core` finds the package for
 * them. Its present version needs glibc 2.38; for older systems there is an older version.
 *
 * 1. There is one library in a process. It is chosen when this file is loaded.
 */
import { createRequire } from 'node:module'
import type * as uws from 'uWebSockets.js'
import { HEADERS_BYTES_MAX, type HttpApp, type HttpLibrary, type ListenSocket } from './library.js'
import { nodeHttp } from './node-http/node-app.js'
import type { TlsFiles } from './tls.js'

export type {
  AppDescriptor,
  HttpApp,
  HttpRequest,
  HttpResponse,
  HttpSocket,
  ListenSocket,
  SocketUser,
} from './library.js'

/** Chooses the library: `node` for node:http. */
const SETTING = 'SERVICE_HTTP_LIBRARY'

/** The kernel shares the port with other processes that use this option. */
export const LIBUS_LISTEN_DEFAULT = 0
export const LIBUS_LISTEN_EXCLUSIVE_PORT = 1

type Native = Pick<typeof uws, 'App' | 'SSLApp' | 'us_listen_socket_close' | 'us_socket_local_port'>

function overNative(native: Native): HttpLibrary {
  return {
    plainApp: () => native.App() as unknown as HttpApp,
    tlsApp: ({ certFile, keyFile, passphrase }) =>
      native.SSLApp({
        cert_file_name: certFile,
        key_file_name: keyFile,
        ...(passphrase === undefined ? {} : { passphrase }),
      }) as unknown as HttpApp,
    stopListening: native.us_listen_socket_close,
    portOf: native.us_socket_local_port,
  }
}

/** The last line says what really failed. */
function causeOf(error: unknown): string {
  const lines = String(error).trim().split('\n')
  return (lines.find((line) => /GLIBC|Cannot find|dlopen|not a valid/.test(line)) ?? lines[0]!).replace(/^Error: /, '')
}

function choose(): { readonly library: HttpLibrary; readonly notice: string | null } {
  if (process.env[SETTING] === 'node')
    return { library: nodeHttp, notice: `HTTP is served by node:http, as ${SETTING} says.` }
  const require = createRequire(import.meta.url)
  const { platform, arch, versions } = process
  // It reads its bound when it is loaded, and has 4 KiB by default.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(HEADERS_BYTES_MAX)
  let cause = ''
  for (const name of ['uWebSockets.js', `uws-${platform}-${arch}-${versions.node.split('.')[0]}-older-glibc`]) {
    try {
      return { library: overNative(require(name) as Native), notice: null }
    } catch (error) {
      cause ||= causeOf(error)
    }
  }
  const machine = `${platform} ${arch}, Node.js ${versions.node}`
  const why = `because uWebSockets.js does not load (${machine}): ${cause}`
  return { library: nodeHttp, notice: `HTTP is served by node:http, which is slower, ${why}` }
}

const { library, notice } = choose()

/** One sentence if HTTP is not served by uWebSockets.js, else null. */
export const httpNotice = notice

export const App = (): HttpApp => library.plainApp()

/** An app with TLS. @throws Error if the files are invalid. */
export const SSLApp = (files: TlsFiles): HttpApp => library.tlsApp(files)

export const us_listen_socket_close = (socket: ListenSocket): void => library.stopListening(socket)
export const us_socket_local_port = (socket: ListenSocket): number => library.portOf(socket)
