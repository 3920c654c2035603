/** Icons of the sprite (icons.json). They are decoration: what they mean stands beside them, or labels the control. */
import type names from '../icons.json'

type Shape = 'shape-0' | 'shape-1' | 'shape-2'

export function Icon({ name, class: more = '' }: { readonly name: string | Shape; readonly class?: string }) {
  return (
    <svg class={`icon ${more}`} aria-hidden="true" focusable="false">
      <use href={`${ICONS}#${name}`} />
    </svg>
  )
}

export type IconName = (typeof names)[number]
