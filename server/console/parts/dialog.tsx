/** A modal dialog: the browser keeps the focus inside, and Escape closes it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../texts.js'
import { Icon } from './icon.js'

interface DialogProps {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
  readonly class?: string
}

/** Gives the focus to an element when it can take it, unless somebody has put it into a field meanwhile. */
export function useFocus<T extends HTMLElement>(isReady: boolean) {
  const ref = useRef<T>(null)
  useEffect(() => {
    if (isReady && document.activeElement?.matches('input, select, textarea') !== true) ref.current?.focus()
  }, [isReady])
  return ref
}

export function Dialog({ title, close, children, class: more = '' }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const { current } = ref
    if (current?.open === false) current.showModal()
    return () => current?.close()
  }, [])
  return (
    <dialog ref={ref} class={`dialog ${more}`} aria-label={title} onClose={close} closedby="any">
      <header>
        <h2>{title}</h2>
        <button type="button" class="plain icon-only" aria-label={t('close')} onClick={close}>
          <Icon name="x" />
        </button>
      </header>
      {children}
    </dialog>
  )
}
