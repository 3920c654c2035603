/**
 * Another program on the same disk: it takes all space and gives it back, again and again. One argument: the folder.
 * It ends when its standard input does, and leaves no file.
 */
import { closeSync, fdatasyncSync, ftruncateSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const PIECE_BYTES = 256 * 1024
/** The longest time that the disk stays full, and that it has room, in milliseconds. */
const [FULL_MS, ROOM_MS] = [30, 30]

const path = join(process.argv[2] as string, 'ballast')
const file = openSync(path, 'w')
const piece = Buffer.alloc(PIECE_BYTES, 1)

/** Writes until nothing fits. */
function fill(): void {
  let at = 0
  for (let bytes = PIECE_BYTES; bytes >= 1; ) {
    try {
      at += writeSync(file, piece, 0, bytes, at)
    } catch {
      bytes = Math.floor(bytes / 4)
    }
  }
}

let isOver = false
process.stdin.on('end', () => (isOver = true))
process.stdin.resume()
for (let round = 0; !isOver; round++) {
  fill()
  if (round % 8 === 0) {
    try {
      fdatasyncSync(file)
    } catch {
      // Its own data is of no interest.
    }
  }
  await sleep(Math.random() * FULL_MS)
  const { bsize, blocks } = statfsSync(path)
  // Sometimes all of it, sometimes little.
  ftruncateSync(file, round % 2 === 0 ? 0 : Math.max(0, Math.floor(bsize * blocks * 0.3)))
  await sleep(Math.random() * ROOM_MS)
}
closeSync(file)
rmSync(path, { force: true })
