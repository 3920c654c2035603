/** A modal dialog: the browser keeps the focus inside, and Escape closes it. */
import { useSignal } from '@preact/signals'
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

/** Something was written, and is not sent. */
function hasText(dialog: HTMLDialogElement): boolean {
  return [...dialog.querySelectorAll<HTMLTextAreaElement>('textarea')].some(
    (one) => one.value.trim() !== one.defaultValue.trim(),
  )
}

export function Dialog({ title, close, children, class: more = '' }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  /** The page went on without it. */
  const isGone = useRef(false)
  /** The person was told that there is text, and goes all the same. */
  const isWarned = useSignal(false)
  const leave = (): boolean => {
    if (ref.current === null || !hasText(ref.current) || isWarned.value) return true
    isWarned.value = true
    return false
  }
  useEffect(() => {
    const { current } = ref
    if (current?.open === false) current.showModal()
    return () => {
      isGone.current = true
      current?.close()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      class={`dialog ${more}`}
      aria-label={title}
      onClose={() => isGone.current || close()}
      onInput={() => (isWarned.value = false)}
      onCancel={(event) => {
        if (event.target === ref.current && !leave()) event.preventDefault()
      }}
      onPointerDown={({ target, clientX: x, clientY: y }) => {
        // Beside the dialog: what was written stays, whatever the hand meant.
        const box = ref.current?.getBoundingClientRect()
        if (target !== ref.current || box === undefined) return
        const isBeside = x < box.left || x > box.right || y < box.top || y > box.bottom
        if (isBeside && ref.current !== null && !hasText(ref.current)) ref.current.close()
      }}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" class="plain icon-only" aria-label={t('close')} onClick={() => leave() && close()}>
          <Icon name="x" />
        </button>
      </header>
      {children}
      {isWarned.value ? (
        <p class="warn" role="alert">
          {t('dialog.text')}
        </p>
      ) : null}
    </dialog>
  )
}
