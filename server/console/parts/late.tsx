/**
 * Parts of the program that are loaded late.
 *
 * 1. A part that cannot be had says so in its place, and is tried again by itself until the service answers. The page
 *    around it stays as it is.
 * 2. A new version of the service has no files of the old one. The page is loaded again then, once, and only after the
 *    service has answered: the browser's own page of errors leads nowhere back. What waits to be sent and notes in
 *    writing are kept in the browser.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { addTexts, t } from '../texts.js'
import { Failed } from './feedback.js'

const RELOADED = 'reloaded'
const AGAIN_MS = 60_000
const PROBE_MS = 5_000
const RETRY_MS = 3_000

/** True if the service answers, and has a page to load again. */
async function answers(): Promise<boolean> {
  try {
    const answer = await fetch(location.pathname, {
      headers: { accept: 'text/html' },
      cache: 'no-store',
      signal: AbortSignal.timeout(PROBE_MS),
    })
    return answer.ok
  } catch {
    return false
  }
}

/** Loads a part. Texts that only late parts show come with the first of them. */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  const [loaded, { default: texts }] = await Promise.all([load(), import('../texts.json?late')])
  addTexts(texts)
  return loaded
}

/** Loads the page again where that helps: this version of the program is not there any more. */
async function renew(): Promise<void> {
  const lastMs = Number(sessionStorage.getItem(RELOADED) ?? 0)
  if (Date.now() - lastMs <= AGAIN_MS || !(await answers())) return
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
}

/** In the place of a part that could not be loaded. */
function Missing({ again }: { readonly again: () => Promise<void> }) {
  const isBusy = useSignal(false)
  const retry = async (): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    await again()
    isBusy.value = false
  }
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void retry()
    }, RETRY_MS)
    return () => clearInterval(timer)
  }, [])
  return <Failed error={t('part.missing')} retry={() => void retry()} />
}

/** A page of a part. While it is loaded the router shows the page before it. `preload` never rejects. */
export function latePage<P>(load: () => Promise<ComponentType<P>>) {
  let page: ComponentType<P> | null = null
  let begun: Promise<void> | null = null
  let isMissing = false
  async function begin(): Promise<void> {
    try {
      page = await part(load)
      isMissing = false
    } catch {
      isMissing = true
    }
  }
  function Late(props: P & object) {
    const [, draw] = useState(0)
    const isWaited = useRef(false)
    if (page !== null) {
      const Page = page
      return <Page {...props} />
    }
    begun ??= begin()
    if (!isMissing) {
      if (!isWaited.current) void begun.then(() => draw((n) => n + 1))
      isWaited.current = true
      throw begun
    }
    return (
      <Missing
        again={async () => {
          await begin()
          if (isMissing) await renew()
          draw((n) => n + 1)
        }}
      />
    )
  }
  Late.preload = async (): Promise<void> => {
    begun ??= begin()
    await begun
    if (!isMissing) return
    // The page that needs it asks anew.
    begun = null
    isMissing = false
  }
  return Late
}

/**
 * A part inside of a page. Until it is there, `instead` is in its place; where it cannot be had, it is tried again with
 * the next change of the page.
 */
export function latePart<P>(load: () => Promise<ComponentType<P>>, instead: ComponentChildren = null) {
  let Part: ComponentType<P> | null = null
  return function Late(props: P & object) {
    const [, draw] = useState(0)
    useEffect(() => {
      if (Part !== null) return
      part(load).then(
        (loaded) => {
          Part = loaded
          draw((n) => n + 1)
        },
        () => {},
      )
    })
    return Part === null ? instead : <Part {...props} />
  }
}
