/** Icons of the sprite (icons.json). They are decoration: what they mean stands beside them, or labels the control. */
import type names from '../icons.json'

export function Icon({ name, class: more = '' }: { readonly name: string; readonly class?: string }) {
  return (
    <svg class={`icon ${more}`} aria-hidden="true" focusable="false">
      <use href={`${ICONS}#${name}`} />
    </svg>
  )
}

export type IconName = (typeof names)[number]
