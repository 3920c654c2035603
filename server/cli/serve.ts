/** `decide serve`: the service itself, in this process. */
import { fileURLToPath } from 'node:url'
import type { Context } from './context.js'

export interface ServeFlags {
  readonly config?: string | undefined
  readonly port?: number | undefined
  readonly dataDir?: string | undefined
  readonly acceptLoss?: boolean | undefined
}

/** The bundle of the service, from the bundle of this command as from its compiled file. */
const service = new URL('../../bundle/service/main.js', import.meta.url)

export async function serve(_: Context, { config, port, dataDir, acceptLoss }: ServeFlags): Promise<void> {
  if (port !== undefined) process.env.SERVICE_PORT = String(port)
  if (dataDir !== undefined) process.env.SERVICE_DATA_DIR = dataDir
  const args = [...(config === undefined ? [] : ['--config', config]), ...(acceptLoss ? ['--accept-loss'] : [])]
  process.argv = [process.argv[0]!, fileURLToPath(service), ...args]
  await import(service.href)
}
