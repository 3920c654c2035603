/**
 * Data of a page: loaded when it is first shown or its key changes, and again on demand.
 *
 * 1. The old value stays while a new one of the same key is loaded, so that nothing jumps.
 * 2. A request that nobody waits for any more is cancelled.
 * 3. What could not be loaded while the service was away is loaded when it is back.
 */
import { useSignal, type ReadonlySignal } from '@preact/signals'
import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { ConnectionError } from '../../client/index.js'
import { messageOf } from './api.js'

export interface Loaded<T> {
  /** Null until it is there. */
  readonly value: T | null
  readonly error: string | null
  readonly isLoading: boolean
  /** The error is that there was no answer. */
  readonly isUnanswered?: boolean
}

export interface Data<T> {
  readonly state: ReadonlySignal<Loaded<T>>
  readonly value: T | null
  readonly error: string | null
  readonly isLoading: boolean
  reload(): void
  /** Puts a value in the place of the loaded one. */
  set(value: T): void
}

/** The shortest time between two attempts to reach a service that is away. */
const AGAIN_MS = 3_000

const nothing = { value: null, error: null, isLoading: true }

interface Keeping {
  /** True: the value of another key is shown until that of the new one is there. */
  readonly isKept?: boolean
}

/** Loads by `load` whenever `key` changes; null: there is nothing to load. */
export function useData<T>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  { isKept = false }: Keeping = {},
): Data<T> {
  const state = useSignal<Loaded<T>>(nothing)
  const shown = useRef<string | null>(null)
  const current = useRef(load)
  const controller = useRef<AbortController | null>(null)
  current.current = load
  const run = useCallback(() => {
    controller.current?.abort()
    const own = new AbortController()
    controller.current = own
    current.current(own.signal).then(
      (value) => {
        if (!own.signal.aborted) state.value = { value, error: null, isLoading: false }
      },
      (error: unknown) => {
        if (own.signal.aborted) return
        const isUnanswered = error instanceof ConnectionError
        state.value = { ...state.peek(), error: messageOf(error), isLoading: false, isUnanswered }
      },
    )
  }, [])
  // Not a frame later, as an effect would be.
  useLayoutEffect(() => {
    if (shown.current !== key) state.value = isKept ? { ...state.peek(), error: null, isLoading: true } : nothing
    shown.current = key
    if (key !== null) run()
    return () => controller.current?.abort()
  }, [key])
  // What the service did not answer at all is asked for again, until it does.
  const isUnanswered = state.value.isUnanswered === true
  useEffect(() => {
    if (!isUnanswered) return
    const timer = setInterval(() => {
      if (!document.hidden) run()
    }, AGAIN_MS)
    return () => clearInterval(timer)
  }, [isUnanswered, key])
  return {
    state,
    ...state.value,
    reload() {
      state.value = { ...state.peek(), isLoading: true }
      run()
    },
    set(value) {
      state.value = { value, error: null, isLoading: false }
    },
  }
}
