import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadOption, parseOptions } from '../../../bench/demo/options.js'

function refused(args: readonly string[]): string {
  try {
    parseOptions(args)
  } catch (error) {
    assert.ok(error instanceof BadOption, String(error))
    return error.message
  }
  return assert.fail(`nothing was refused: ${args.join(' ')}`)
}

test('without options the stream is generated', () => {
  const usual = {
    kind: 'generated',
    seed: 1,
    votes: 300,
    events: 60_000,
    parts: ['job', 'weeks'],
    data: null,
    isCluster: false,
    isKept: false,
  }
  assert.deepEqual(parseOptions([]), usual)
  assert.deepEqual(parseOptions(['--weeks']), { ...usual, parts: ['weeks'] })
  assert.deepEqual(parseOptions(['--job']), { ...usual, parts: ['job'] })
})

test('the folder of labelled sets is an option, or in the environment', () => {
  const data = (args: readonly string[], env: NodeJS.ProcessEnv = {}): unknown => {
    const options = parseOptions(args, env)
    return options.kind === 'generated' && options.data
  }
  assert.equal(data(['--data', 'A']), 'A')
  assert.equal(data([], { DEMO_DATA: 'B' }), 'B')
  assert.equal(data(['--data', 'A'], { DEMO_DATA: 'B' }), 'A')
})

test('a file comes with its label and its points', () => {
  const options = parseOptions(['--file', 'F.gz', '--label', 'label', '--points', 'a.b, c', '--votes', '50'])
  const expected = { kind: 'file', file: 'F.gz', label: 'label', points: ['a.b', 'c'], event: null, seed: 1, votes: 50 }
  assert.deepEqual(options, { ...expected, isCluster: false, isKept: false })
})

test('the event in a line may be named', () => {
  const options = parseOptions(['--file', 'F', '--label', 'l', '--points', 'a', '--event', 'alert.body'])
  assert.equal(options.kind === 'file' && options.event, 'alert.body')
})

test('a cluster may be what is played to', () => {
  const options = parseOptions(['--cluster'])
  assert.equal(options.kind === 'generated' && options.isCluster, true)
})

test('the service may go on after the demo, unless it is a cluster or has no first part', () => {
  const options = parseOptions(['--keep', '--job'])
  assert.equal(options.kind === 'generated' && options.isKept, true)
  for (const other of ['--cluster', '--weeks']) assert.match(refused(['--keep', other]), /--keep leaves the service/)
})

test('help is an option of its own', () => {
  assert.deepEqual(parseOptions(['--help']), { kind: 'help' })
})

test('unusable options are refused with a sentence that names them', () => {
  assert.match(refused(['--nothing']), /^Unknown option '--nothing'\.$/)
  assert.match(refused(['stray']), /stray/)
  assert.match(refused(['--file', 'F']), /^--file needs --label/)
  assert.match(refused(['--file', 'F', '--label', 'l']), /^--file needs --points/)
  assert.match(refused(['--weeks', '--job']), /give one of them/)
  assert.match(refused(['--file', 'F', '--label', 'l', '--points', 'a', '--weeks']), /^--weeks is for the generated/)
  assert.match(refused(['--file', 'F', '--label', 'l', '--points', 'a,,b']), /^--points takes dot paths/)
  const file = ['--file', 'F', '--label', 'l', '--points', 'a']
  assert.match(refused([...file, '--events', '9']), /^--events is for the generated/)
  assert.match(refused(['--label', 'l']), /^--label .* needs --file\.$/)
  assert.match(refused(['--events', '12']), /^--events takes a whole number from 1000 to 1000000, not "12"\.$/)
  assert.match(refused(['--votes', '1e2']), /^--votes takes a whole number/)
  assert.match(refused(['--seed', '-1']), /seed/)
})
