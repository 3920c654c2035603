/** A part of a page whose data is loaded: lines until it is there, and what failed. */
import type { ComponentChildren } from 'preact'
import type { Data } from '../state/data.js'
import { Failed, Skeleton } from './feedback.js'

interface LoadedProps<T> {
  readonly data: Data<T>
  readonly lines?: number
  readonly children: (value: T) => ComponentChildren
}

export function Loaded<T>({ data, lines = 4, children }: LoadedProps<T>) {
  return (
    <>
      {data.error === null ? null : <Failed error={data.error} retry={data.reload} />}
      {data.value === null ? data.error === null ? <Skeleton lines={lines} /> : null : children(data.value)}
    </>
  )
}
