import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { kernelName, socketFolder } from '../../../../engine/store/directory/socket-address.js'
import { temporaryDirectory } from '../../../support/engine/files.js'

describe('the sockets of a data directory', () => {
  it('have one name of the kernel for one directory, where the system has such names', (test) => {
    const directory = temporaryDirectory(test)
    const { dev, ino } = statSync(directory)
    assert.equal(kernelName(directory, 'linux'), `\0decision-service-${dev}-${ino}`)
    assert.equal(kernelName(directory, 'win32'), `\\\\.\\pipe\\decision-service-${dev}-${ino}`)
    assert.equal(kernelName(directory, 'darwin'), null)
  })

  it('are files in it where sockets are files, by the shortest path', () => {
    const near = join(process.cwd(), 'data')
    assert.equal(socketFolder(near, 7, 'linux'), '/proc/self/fd/7')
    assert.equal(socketFolder(near, 7, 'win32'), null)
    assert.equal(socketFolder(near, 7, 'darwin'), 'data')
    assert.equal(socketFolder('/d', 7, 'darwin'), '/d')
  })
})
