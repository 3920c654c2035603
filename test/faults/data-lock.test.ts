import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../engine/engine.js'
import { isRefusal } from '../../engine/errors.js'
import { DATA_FORMAT } from '../../engine/store/directory/data-dir.js'
import { lockDataDir } from '../../engine/store/directory/data-lock.js'
import { answers, close, takeClaim } from '../../engine/store/directory/lock-claim.js'
import { afterwards } from '../support/afterwards.js'
import { temporaryDirectory } from '../support/engine/files.js'
import { EngineChild, type Ready } from './child.js'

function codeOf(ready: Ready | null): string {
  return ready === null ? 'died' : ready.ready ? 'ready' : ready.code
}

function openChild(test: TestContext, directory: string): EngineChild {
  const child = new EngineChild(directory)
  afterwards(test, () => child.kill())
  return child
}

describe('the lock of a data directory', () => {
  it('is taken once in a process, and free again when it is released', async (test) => {
    const directory = temporaryDirectory(test)
    const lock = await lockDataDir(directory)
    await assert.rejects(
      lockDataDir(directory),
      (error) => isRefusal(error, 'data_dir_in_use') && error.message.includes(directory),
    )
    const other = await lockDataDir(temporaryDirectory(test))
    await lock.release()
    await other.release()
    await (await lockDataDir(directory)).release()
    assert.deepEqual(readdirSync(directory), [])
  })

  it('is one lock, by whatever path the directory is reached', async (test) => {
    const [directory, links] = [temporaryDirectory(test), temporaryDirectory(test)]
    symlinkSync(directory, join(links, 'link'))
    const lock = await lockDataDir(directory)
    await assert.rejects(lockDataDir(join(links, 'link')), (error) => isRefusal(error, 'data_dir_in_use'))
    await assert.rejects(lockDataDir(`${directory}/.`), (error) => isRefusal(error, 'data_dir_in_use'))
    await lock.release()
  })

  it('is taken where a path is longer than the name of a socket may be', async (test) => {
    const directory = temporaryDirectory(test)
    const deep = join(directory, 'x'.repeat(100), 'y'.repeat(100))
    mkdirSync(deep, { recursive: true })
    const lock = await lockDataDir(deep)
    assert.ok(existsSync(join(deep, 'lock.sock')))
    await lock.release()
  })

  it('is taken once where the kernel has no names for sockets', async (test) => {
    const directory = temporaryDirectory(test)
    const lock = await lockDataDir(directory, 'darwin')
    await assert.rejects(lockDataDir(directory, 'darwin'), (error) => isRefusal(error, 'data_dir_in_use'))
    await assert.rejects(lockDataDir(directory), (error) => isRefusal(error, 'data_dir_in_use'))
    await lock.release()
    await (await lockDataDir(directory, 'darwin')).release()
  })

  it('is refused with a sentence where nothing can be written', async () => {
    await assert.rejects(
      lockDataDir('/sys'),
      (error) => isRefusal(error, 'data_dir_invalid') && error.message.includes('/sys'),
    )
  })

  it('takes over what a process that died has left', async (test) => {
    const directory = temporaryDirectory(test)
    writeFileSync(join(directory, 'lock.sock'), 'left over')
    await (await lockDataDir(directory)).release()
  })

  it('goes to one of several that find the same stale socket at once without seeing each other', async (test) => {
    const directory = temporaryDirectory(test)
    for (const name of ['lock.sock', 'lock-0123456789abcdef.sock']) writeFileSync(join(directory, name), 'left over')
    // Processes of one network namespace see each other by the abstract name. Those of several have only claims.
    for (let round = 0; round < 20; round++) {
      const claims = await Promise.all([takeClaim(directory), takeClaim(directory), takeClaim(directory)])
      const [claim, ...more] = claims.filter((each) => each !== null)
      assert.ok(claim !== undefined && more.length === 0, `${more.length + 1} of 3 had the claim`)
      await close(claim)
    }
    assert.deepEqual(readdirSync(directory), ['lock.sock'])
  })

  it('is not taken from a stopped process, however many try to connect', async (test) => {
    const path = join(temporaryDirectory(test), 'lock.sock')
    const program = `require('net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => process.kill(process.pid, 'SIGSTOP'))`
    const owner = spawn(process.execPath, ['-e', program])
    afterwards(test, () => owner.kill('SIGKILL'))
    while (!(await answers(path))) await sleep(5)
    for (let tries = 0; tries < 4; tries++) assert.equal(await answers(path), true, `try ${tries}`)
  })

  it('keeps a second process out with a sentence, and is free when the first was killed', async (test) => {
    const directory = temporaryDirectory(test)
    const first = openChild(test, directory)
    assert.equal(codeOf(await first.ready), 'ready')
    const second = openChild(test, directory)
    const refused = await second.ready
    assert.equal(codeOf(refused), 'data_dir_in_use')
    assert.ok(refused !== null && !refused.ready && refused.message.includes(directory))
    assert.ok('result' in ((await first.ask({ ask: 'ingest', eventId: 'e', body: { host: 'h' } })) ?? {}))
    await first.kill()
    const third = openChild(test, directory)
    assert.equal(codeOf(await third.ready), 'ready')
    assert.ok('result' in ((await third.ask({ ask: 'event', eventId: 'e' })) ?? {}))
    await third.close()
  })

  it('goes to exactly one of several that start at once on a new directory', async (test) => {
    const directory = join(temporaryDirectory(test), 'new')
    const children = Array.from({ length: 3 }, () => openChild(test, directory))
    const codes = await Promise.all(children.map(async (child) => codeOf(await child.ready)))
    assert.deepEqual(codes.sort(), ['data_dir_in_use', 'data_dir_in_use', 'ready'])
  })
})

describe('a data directory that this version cannot use', () => {
  it('stops the start with a code and a sentence, and is left as it was', async (test) => {
    for (const [text, code] of [
      [JSON.stringify({ format: DATA_FORMAT + 1, shards: 8 }), 'data_dir_newer'],
      ['garbage', 'data_dir_invalid'],
    ] as const) {
      const directory = temporaryDirectory(test)
      writeFileSync(join(directory, 'format.json'), text)
      await assert.rejects(
        openEngine({ dataDir: directory, name: 'service' }),
        (error) => isRefusal(error, code) && error.message.includes(directory),
      )
      assert.deepEqual(readdirSync(directory), ['format.json'])
    }
  })
})
