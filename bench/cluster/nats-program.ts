/**
 * The program of the NATS servers, built by Go from its module proxy into `.cache/` of the project, once.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../harness/child.js'
import { source } from '../harness/paths.js'

const VERSION = 'v2.15.2'
/** Where the tests that need it keep it, too. */
const folder = source(`.cache/integrations/nats-server-${VERSION}`)

/** The program cannot be had. The message says what to do. */
export class NoNats extends Error {}

/** Rejects with NoNats. `told` hears of a build, which takes minutes. */
export async function natsProgram(told: (line: string) => void): Promise<string> {
  const program = join(folder, 'nats-server')
  if (existsSync(program) && existsSync(join(folder, 'whole'))) return program
  const there = await run('go', ['version']).catch(() => null)
  if (there === null || there.code !== 0)
    throw new NoNats(
      `Go is missing, which builds the NATS server. Install Go 1.25 or newer (https://go.dev/dl), ` +
        `or put nats-server ${VERSION} into ${folder} and make an empty folder "whole" beside it.`,
    )
  told(`building nats-server ${VERSION} with Go into .cache, once; this takes a few minutes`)
  mkdirSync(folder, { recursive: true })
  const { code, err } = await run('go', ['install', `github.com/nats-io/nats-server/v2@${VERSION}`], {
    env: { GOBIN: folder, GOFLAGS: '-mod=mod' },
  })
  if (code !== 0) throw new NoNats(`Go could not build nats-server: ${err.trim().split('\n').at(-1) ?? ''}`)
  mkdirSync(join(folder, 'whole'), { recursive: true })
  return program
}
