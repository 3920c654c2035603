/** Keys as the person has them, written as they stand on a keyboard. */
import { keysOf, type Command } from '../state/keys.js'
import { t } from '../texts.js'

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

const signs: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Enter: '↵',
  Escape: 'Esc',
  ' ': '␣',
}

/** `mod-k` as Ctrl K, or as ⌘ K; `g n` as it is. */
function written(keys: string): string {
  return keys
    .split(/(?<=.) (?=.)/)
    .map((key) => {
      const isMod = key.startsWith('mod-')
      const plain = isMod ? key.slice(4) : key
      const sign = signs[plain] ?? plain
      return isMod ? `${isMac ? '⌘' : t('key.mod')} ${sign.toUpperCase()}` : sign
    })
    .join(' ')
}

/** All keys of a command. */
export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span class="keys">
      {keys.split(', ').map((one) => (
        <kbd key={one}>{written(one)}</kbd>
      ))}
    </span>
  )
}

/** The first key of a command: beside the words of a button. */
export function Key({ of }: { readonly of: Command }) {
  return <kbd>{written(keysOf(of).split(', ')[0] ?? '')}</kbd>
}
