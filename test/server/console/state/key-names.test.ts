import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf } from '../../../../server/console/state/key-names.js'

type Press = Parameters<typeof nameOf>[0]
const press = (key: string, code: string, held: Partial<Press> = {}): Press => ({
  key,
  code,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  ...held,
})
const shift = { shiftKey: true }
const control = { ctrlKey: true }
const ours = new Set(['j', 'x', 'X', '1', '2', '*', '/', 'mod-k', 'a', 'm', '?'])

const cases: readonly (readonly [what: string, pressed: Press, name: string])[] = [
  ['a letter', press('j', 'KeyJ'), 'j'],
  ['a capital', press('X', 'KeyX', shift), 'X'],
  ['Caps Lock', press('X', 'KeyX'), 'x'],
  ['Caps Lock and Shift', press('x', 'KeyX', shift), 'X'],
  ['a digit of AZERTY', press('&', 'Digit1'), '1'],
  ['a digit of AZERTY with Shift', press('1', 'Digit1', shift), '1'],
  ['a digit of the Czech layout', press('ě', 'Digit2'), '2'],
  ['a sign above a digit is no digit', press('!', 'Digit1', shift), '!'],
  ['a letter of AZERTY at the place of another', press('a', 'KeyQ'), 'a'],
  ['a sign of AZERTY at the place of a letter', press(',', 'KeyM'), ','],
  ['a letter of Dvorak at the place of another', press('x', 'KeyB'), 'x'],
  ['Cyrillic', press('о', 'KeyJ'), 'j'],
  ['Cyrillic with Shift', press('Ч', 'KeyX', shift), 'X'],
  ['Cyrillic with Caps Lock', press('Ч', 'KeyX'), 'x'],
  ['Cyrillic with Ctrl', press('л', 'KeyK', control), 'mod-k'],
  ['Greek', press('ξ', 'KeyJ'), 'j'],
  ['Hebrew', press('ס', 'KeyX'), 'x'],
  ['a star', press('*', 'Digit8', shift), '*'],
  ['a question mark of the Russian layout', press('?', 'Digit7', shift), '?'],
  ['Ctrl and a capital', press('K', 'KeyK', { ...control, ...shift }), 'mod-k'],
  ['a key with a name', press('Enter', 'Enter'), 'Enter'],
]

for (const [what, pressed, name] of cases)
  test(`${what}: ${pressed.key} is ${name}`, () =>
    assert.equal(
      nameOf(pressed, (own) => ours.has(own)),
      name,
    ))

test('a character that somebody has bound counts as it is', () => {
  assert.equal(
    nameOf(press('о', 'KeyJ'), (own) => own === 'о'),
    'о',
  )
})
